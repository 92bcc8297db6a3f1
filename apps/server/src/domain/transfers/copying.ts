import { GiB, MiB } from '@longshore/contract/limits'
import { ObjectGone, StorageRefusal, UploadGone } from '#blob/storage-errors'
import { patiently } from './send-parts.ts'

// A copy takes more requests than sending so little.
export const worthCopying = 1 * MiB
// No store copies more in one request.
export const copiesWholeUpTo = 5 * GiB

/** What files that may be copied have in common. */
export interface Copying {
  /** Whether our own store may copy. Off after it was refused once. */
  readonly copying: { on: boolean }
  readonly signal: AbortSignal
}

/** Undefined where the bucket's owner does not let us copy: from then on all goes the long way, with their keys alone. */
export async function whereAllowed<Result>(
  load: Copying,
  copy: () => Promise<Result>,
): Promise<{ done: Result } | undefined> {
  try {
    return { done: await patiently(load, copy) }
  } catch (error) {
    if (!(error instanceof StorageRefusal || error instanceof UploadGone || error instanceof ObjectGone)) throw error
    load.copying.on = false
    return undefined
  }
}
