import type { QueuedRow } from '#state/transfers'

/** Who may move bytes now, given the queue from its front to its end. */
export function mayRun(queue: readonly QueuedRow[], fifo: { enabled: boolean; count: number }): ReadonlySet<string> {
  const willing = queue.filter(({ state }) => state === 'transferring').map(({ id }) => id)
  return new Set(fifo.enabled ? willing.slice(0, fifo.count) : willing)
}

/** The queue with one of its members at another place; behind its end is its end. */
export function moved(queue: readonly string[], id: string, rank: number): readonly string[] {
  const others = queue.filter((other) => other !== id)
  return others.toSpliced(rank, 0, id)
}
