import { type Fault, faultOf } from './faults.ts'
import { inScope } from './waits.ts'

/** How a run can end before its work is done. */
export type Interrupted =
  /** The signal ended it. Running it again goes on where it was. */
  | { readonly state: 'paused' }
  /** `fault` is what ended it, or the last that a single file met; the other files are done. May be run again. */
  | { readonly state: 'error'; readonly fault: Fault; readonly failedFiles: number }

/** Carries all files; `failed` takes the faults of single ones. Undefined when none of them is left. */
export async function runTransfer(
  signal: AbortSignal,
  carryAll: (scope: AbortController, failed: Fault[]) => Promise<void>,
): Promise<Interrupted | undefined> {
  const failed: Fault[] = []
  try {
    await inScope(signal, (scope) => carryAll(scope, failed))
    const fault = failed.at(-1)
    return fault === undefined ? undefined : { state: 'error', fault, failedFiles: failed.length }
  } catch (error) {
    return signal.aborted ? { state: 'paused' } : { state: 'error', fault: faultOf(error), failedFiles: failed.length }
  }
}
