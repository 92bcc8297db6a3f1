import type { Cx } from '#domain/cx'
import { inspectBatch, takeBatch } from '#domain/inspection/inspect-batch'

/** Inspects whatever waits for it, as a worker would. Answers how many files that were. */
export async function inspectAll(cx: Cx): Promise<number> {
  const never = new AbortController().signal
  let files = 0
  for (const share of ['large', 'small'] as const) {
    for (let taken = await takeBatch(cx, share); taken.length > 0; taken = await takeBatch(cx, share)) {
      files += taken.length
      await inspectBatch(cx, taken, never)
    }
  }
  return files
}
