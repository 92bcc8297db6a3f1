import { hash } from 'node:crypto'
import { newSecret } from '@longshore/kit/ids'

/** Where a package's objects lie. Two digits in front spread packages over the store's index. */
export const packagePrefix = (teamId: string, packageId: string): string =>
  `${hash('sha256', packageId).slice(0, 2)}/${teamId}/${packageId}/`

/** A key that cannot be guessed and is never used again, so a late upload cannot touch a finished object. */
export const newObjectKey = (teamId: string, packageId: string, fileId: string): string =>
  `${packagePrefix(teamId, packageId)}${fileId}/${newSecret(16)}`

/** What a key says about its owner. */
export interface KeyParts {
  /** The number that its first two digits are. */
  readonly slice: number
  readonly teamId: string
  readonly packageId: string
  readonly fileId: string
}

const uuid = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}'
const ours = new RegExp(`^([0-9a-f]{2})/(${uuid})/(${uuid})/(${uuid})/[\\w-]+$`)

/** Undefined for a key that we did not make. */
export function readObjectKey(key: string): KeyParts | undefined {
  const [, slice, teamId, packageId, fileId] = ours.exec(key) ?? []
  if (slice === undefined || teamId === undefined || packageId === undefined || fileId === undefined) return undefined
  return { slice: Number.parseInt(slice, 16), teamId, packageId, fileId }
}
