/** Lets so many through at a time; the others wait in the order of coming. */
export type Gate = <Result>(work: () => Promise<Result>) => Promise<Result>

export function gate(width: number): Gate {
  let free = width
  const waiting: (() => void)[] = []
  return async (work) => {
    if (free > 0) free--
    else await new Promise<void>((resolve) => waiting.push(resolve))
    try {
      return await work()
    } finally {
      const next = waiting.shift()
      if (next === undefined) free++
      else next()
    }
  }
}

/** Does the work for each item, so many at once, in the order of the items. The first that fails ends it. */
export async function inLanes<Item>(
  items: Iterable<Item> | AsyncIterable<Item>,
  width: number,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  // One iterator for all lanes: each takes what is next.
  const waiting = Symbol.asyncIterator in items ? items : Iterator.from(items)
  const lane = async () => {
    for await (const item of waiting) await work(item)
  }
  await Promise.all(Array.from({ length: width }, lane))
}

/**
 * The same for work that must not go on behind the back of whoever was told that it failed: the first failure aborts the
 * signal of the others, and all of them are waited for.
 */
export async function inLanesTogether<Item>(
  items: Iterable<Item> | AsyncIterable<Item>,
  width: number,
  given: AbortSignal,
  work: (item: Item, signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const failed = new AbortController()
  const signal = AbortSignal.any([given, failed.signal])
  const underWay = new Set<Promise<void>>()
  try {
    await inLanes(items, width, async (item) => {
      signal.throwIfAborted()
      const one = work(item, signal)
      underWay.add(one)
      await one
      underWay.delete(one)
    })
  } catch (error) {
    failed.abort(error)
    await Promise.allSettled(underWay)
    throw error
  }
}
