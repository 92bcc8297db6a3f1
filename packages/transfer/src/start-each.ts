/**
 * Starts a piece of work for each item, as the items come. The first error ends all. When this returns or throws,
 * nothing is under way any more.
 */
export async function startEach<Item>(
  items: AsyncIterable<Item>,
  scope: AbortController,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const underWay = new Set<Promise<void>>()
  try {
    for await (const item of items) {
      const one = work(item)
        .catch((error: unknown) => scope.abort(error))
        .finally(() => underWay.delete(one))
      underWay.add(one)
    }
  } catch (error) {
    scope.abort(error)
  }
  await Promise.all(underWay)
  scope.signal.throwIfAborted()
}
