import { hash } from 'node:crypto'
import { newSecret } from '@longshore/kit/ids'

/** Where a package's objects lie. Two digits in front spread packages over the store's index. */
export const packagePrefix = (teamId: string, packageId: string): string =>
  `${hash('sha256', packageId).slice(0, 2)}/${teamId}/${packageId}/`

/** A key that cannot be guessed and is never used again, so a late upload cannot touch a finished object. */
export const newObjectKey = (teamId: string, packageId: string, fileId: string): string =>
  `${packagePrefix(teamId, packageId)}${fileId}/${newSecret(16)}`
