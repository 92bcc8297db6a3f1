import { existsSync, realpathSync } from 'node:fs'
import { basename, dirname, isAbsolute, join, resolve } from 'node:path'
import { Refusal } from '@longshore/kit/refusal'
import { isWithin } from '#transfers/check-paths'
import type { Automation } from './kinds.ts'

/**
 * Refuses folders that would send what was fetched, in a circle, or what the agent keeps for itself. A folder need not
 * be there: a share may be away, or the automation come from another agent.
 */
export function checkFolders(one: Automation, others: readonly Automation[], dataDir: string): void {
  const { field, path } = folderOf(one)
  const refuse = (reason: string) => {
    throw new Refusal('validation_failed', `${field}: ${reason}`, { details: [{ field, reason }] })
  }
  if (!isAbsolute(path)) refuse('must be an absolute path')
  if (overlap(path, dataDir)) refuse('must be apart from the data folder of the agent')
  const circle = others.find(
    (other) => other.id !== one.id && folderOf(other).field !== field && overlap(path, folderOf(other).path),
  )
  if (circle !== undefined) {
    refuse(`must be apart from '${folderOf(circle).path}' of the automation '${circle.fields.name}'`)
  }
}

const folderOf = ({ fields }: Automation) =>
  'path' in fields
    ? ({ field: 'path', path: fields.path } as const)
    : ({ field: 'dst_folder', path: fields.dst_folder } as const)

function overlap(one: string, other: string): boolean {
  const [a, b] = [real(one), real(other)]
  return isWithin(a, b) || isWithin(b, a)
}

/** Without links, as far as there is anything. */
function real(path: string): string {
  const whole = resolve(path)
  if (existsSync(whole)) return realpathSync(whole)
  return whole === dirname(whole) ? whole : join(real(dirname(whole)), basename(whole))
}
