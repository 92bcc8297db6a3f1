import type { UploadEntry } from '#browser/upload.ts'
import type { Portal } from './portal.ts'

export type Limits = Pick<
  Portal,
  | 'package_size_restriction_enabled'
  | 'max_package_size'
  | 'max_file_size'
  | 'max_file_count'
  | 'file_type_restriction_enabled'
  | 'file_types'
>

/** Why a Portal would refuse a file. */
export type Problem = 'too large' | 'type refused' | 'name refused'

/** Limits that are in force; undefined stands for none. */
export function limitsOf(portal: Limits) {
  const { package_size_restriction_enabled: sizes, file_type_restriction_enabled: types } = portal
  const limit = (value: number) => (sizes && value > 0 ? value : undefined)
  return {
    packageBytes: limit(portal.max_package_size),
    fileBytes: limit(portal.max_file_size),
    files: limit(portal.max_file_count),
    types: types ? portal.file_types.map(plainType).filter((type) => type !== '') : undefined,
  }
}

export type ActiveLimits = ReturnType<typeof limitsOf>

/** Judges as the server does, so that nobody uploads for an hour to be refused. */
export function problemOf({ fileBytes, types }: ActiveLimits, entry: UploadEntry): Problem | undefined {
  if (!isPossibleName(entry)) return 'name refused'
  if (entry.kind === 'directory') return undefined
  if (fileBytes !== undefined && entry.size > fileBytes) return 'too large'
  if (types !== undefined && !isTypeAllowed(entry.name, types)) return 'type refused'
  return undefined
}

const maxNameBytes = 255
const maxPathBytes = 4_096

function isPossibleName({ name, path }: Pick<UploadEntry, 'name' | 'path'>): boolean {
  const place = path === '' ? name : `${path}/${name}`
  const isPossible = (part: string) =>
    part.isWellFormed() && !/[\u0000-\u001f\u007f\\]/.test(part) && bytesOf(part) <= maxNameBytes
  return bytesOf(place) <= maxPathBytes && place.split('/').every(isPossible)
}

const encoder = new TextEncoder()
// Hardly any name is long enough to be worth counting its bytes.
const bytesOf = (text: string) => (text.length * 3 <= maxNameBytes ? text.length : encoder.encode(text).length)

const plainType = (written: string): string =>
  written
    .trim()
    .toLowerCase()
    .replace(/^\*?\.+/, '')

/** As a file system reads a name: dots and blanks at its end, and whatever follows a colon, are no part of it. */
function isTypeAllowed(name: string, types: readonly string[]): boolean {
  const whole = trimmed(name.toLowerCase())
  const beforeColon = trimmed(whole.split(':', 1)[0] ?? '')
  const read = beforeColon.lastIndexOf('.') > 0 ? beforeColon : whole
  return types.some((type) => read.endsWith(`.${type}`) && read.length > type.length + 1)
}

const trimmed = (name: string): string => name.replace(/[. ]+$/, '')
