import type { TransferError } from '@longshore/contract/agent/shapes'
import { adviceOf, codeOf, type ErrorName, errors } from '@longshore/contract/errors'
import type { Fault } from '@longshore/transfer/faults'
import type { Static } from 'typebox'

/** What a transfer shows of what went wrong. */
export type ShownError = Static<typeof TransferError>

/** Errors that transfers end in, beside those that calls of the cloud are refused with. */
export const errorsOfTransfers: readonly ErrorName[] = [
  'transfer_failed',
  'content_mismatch',
  'source_gone',
  'source_changed',
  'source_unreadable',
  'disk_full',
  'destination_refused',
  'storage_full',
  'storage_refused',
  'entry_skipped',
  'delivery_stopped',
]

// What the package is, or has become: no second try can change it.
const final: ReadonlySet<string> = new Set([
  'package_not_found',
  'package_not_new',
  'package_expired',
  'package_too_large',
  'file_too_large',
  'file_type_refused',
  'file_quarantined',
  'link_locked',
  'link_inactive',
  'link_not_found',
  'portal_expired',
  'portal_inactive',
  'delivery_stopped',
])

const isKnown = (name: string): name is ErrorName => Object.hasOwn(errors, name)

/** What happened in the engine's words, what to do in ours; the cloud says both itself. */
export function shownError({ code: name, message }: Pick<Fault, 'code' | 'message'>): ShownError {
  const known = isKnown(name) ? name : 'transfer_failed'
  const advice = adviceOf(known)
  const isWhole = message === advice || !errorsOfTransfers.includes(known)
  return {
    code: codeOf(known),
    error: known,
    message: message === '' ? advice : isWhole ? message : `${message} ${advice}`,
    recoverable: !final.has(known),
  }
}

/** Of a mistake of ours: the log has it, and trying again does no harm. */
export const unexpectedError = (): ShownError => shownError({ code: 'transfer_failed', message: '' })

/** Why an entry is left out. */
export const skippedBecause = (reason: string): ShownError => ({
  code: codeOf('entry_skipped'),
  error: 'entry_skipped',
  message: reason,
  recoverable: false,
})
