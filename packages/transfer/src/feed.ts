import { createGate, type Gate } from './gate.ts'
import { startEach } from './start-each.ts'
import { orAborted } from './waits.ts'

/** Carries each item, so many at once, and asks for the next only when there is room for it. */
export async function feed<Item>(
  items: AsyncIterable<Item>,
  most: number,
  scope: AbortController,
  carry: (item: Item, order: number) => Promise<void>,
): Promise<void> {
  const gate = createGate(() => most, scope.signal)
  await startEach(admitted(items, gate, scope.signal), scope, async ({ item, order }) => {
    try {
      await carry(item, order)
    } finally {
      gate.leave()
    }
  })
}

async function* admitted<Item>(items: AsyncIterable<Item>, gate: Gate, signal: AbortSignal) {
  const source = items[Symbol.asyncIterator]()
  try {
    for (let order = 0; ; order++) {
      await gate.enter()
      const next = await orAborted(source.next(), signal)
      if (next.done === true) return
      yield { item: next.value, order }
    }
  } finally {
    // Not waited for: a source that is slow to answer must not hold up a pause.
    void source.return?.().catch(() => undefined)
  }
}
