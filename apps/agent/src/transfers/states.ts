import type { TransferState } from '#state/transfers'

/** What can be asked of a transfer, or come of a run of it. */
export type Trigger = 'pause' | 'resume' | 'all moved' | 'finalized' | 'failed'

/**
 * The state that follows, or undefined where this cannot be. Asking for what is already so changes nothing and is no
 * mistake. A run may end at the very moment in which somebody pauses: what has happened to the package then counts more
 * than the wish, which is why a paused transfer can become complete.
 */
export function nextState(
  state: TransferState,
  trigger: Trigger,
  error?: { readonly recoverable: boolean },
): TransferState | undefined {
  switch (trigger) {
    case 'pause':
      return state === 'transferring' || state === 'paused' ? 'paused' : undefined
    case 'resume':
      if (state === 'error') return error?.recoverable === true ? 'transferring' : undefined
      return state === 'paused' || state === 'transferring' ? 'transferring' : undefined
    case 'all moved':
      return state === 'transferring' ? 'idle' : undefined
    case 'finalized':
      return 'complete'
    case 'failed':
      return state === 'transferring' ? 'error' : undefined
  }
}
