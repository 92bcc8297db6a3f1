import type { Fault } from './faults.ts'

/** What to do about a file that could not be finished. */
export type Remedy =
  /** Nothing here can help, and no other file would fare better. */
  | 'end'
  | 'give up'
  /** It is in the package already. */
  | 'done'
  /** Ask storage what it has, and send the rest. */
  | 'look again'
  /** Take it out of the package and add the same file once more. */
  | 'add again'
  /** The same for a source that is another one by now. */
  | 'restart'
  /** Take out what an earlier run left at its place, and add it. */
  | 'clear its place'

// Something is wrong with this one file, or with storage, that adding it anew does not heal.
const mostTries = 4

export function remedyFor(
  fault: Fault,
  so: {
    readonly attempt: number
    readonly restarts: number
    readonly chunked: boolean
    /** True where an earlier run had to do with it. */
    readonly knownBefore: boolean
  },
): Remedy {
  if (fault.verdict !== 'permanent') return 'end'
  switch (fault.code) {
    case 'source_changed':
      // Once may be bad luck. A file that changes all the time cannot be sent.
      return so.restarts === 0 ? 'restart' : 'give up'
    case 'source_outgrown':
      return 'restart'
    case 'file_finalized':
      return 'done'
    case 'address_lost':
      // However long storage or we were away: the file itself is fine.
      return 'add again'
    case 'duplicate_path':
      return so.knownBefore ? 'clear its place' : 'give up'
    case 'upload_mismatch':
      if (so.chunked && so.attempt === 0) return 'look again'
      return so.attempt < mostTries ? 'add again' : 'give up'
    case 'file_not_found':
    case 'object_gone':
      return so.attempt < mostTries ? 'add again' : 'give up'
    default:
      return 'give up'
  }
}
