import { createGate } from './gate.ts'
import { orAborted } from './waits.ts'

/**
 * Carries each item, so many at once, and asks for the next only when there is room for it. The first error ends all.
 * When it returns or throws, nothing is under way any more.
 */
export async function feed<Item>(
  items: AsyncIterable<Item>,
  most: number,
  scope: AbortController,
  carry: (item: Item, order: number) => Promise<void>,
): Promise<void> {
  const { signal } = scope
  const gate = createGate(() => most)
  const carried = new Set<Promise<void>>()
  const source = items[Symbol.asyncIterator]()
  try {
    for (let order = 0; ; order++) {
      await gate.enter(signal)
      const next = await orAborted(source.next(), signal)
      if (next.done === true) break
      const one = carry(next.value, order)
        .catch((error: unknown) => scope.abort(error))
        .finally(() => {
          carried.delete(one)
          gate.leave()
        })
      carried.add(one)
    }
  } catch (error) {
    scope.abort(error)
  }
  await Promise.all(carried)
  if (!signal.aborted) return
  // Not waited for: a source that is slow to answer must not hold up a pause.
  void source.return?.().catch(() => undefined)
  throw signal.reason
}
