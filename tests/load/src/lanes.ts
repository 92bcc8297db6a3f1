import { performance } from 'node:perf_hooks'

/** Does the work over and over in so many lanes at once until the time is up. Answers how often, and in what time. */
export async function forSeconds(
  seconds: number,
  lanes: number,
  work: (turn: number) => Promise<void>,
): Promise<{ readonly turns: number; readonly seconds: number }> {
  const begin = performance.now()
  const end = begin + seconds * 1000
  let turns = 0
  const lane = async () => {
    while (performance.now() < end) await work(turns++)
  }
  await Promise.all(Array.from({ length: lanes }, lane))
  return { turns, seconds: (performance.now() - begin) / 1000 }
}

/** Does the work for each item, so many at once. Answers the results in the order of the items. */
export async function forEach<Item, Result>(
  items: Iterable<Item>,
  lanes: number,
  work: (item: Item, index: number) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = []
  const queue = [...items].entries()
  const lane = async () => {
    for (const [index, item] of queue) results[index] = await work(item, index)
  }
  await Promise.all(Array.from({ length: lanes }, lane))
  return results
}

export async function timed(work: () => Promise<unknown>): Promise<number> {
  const begin = performance.now()
  await work()
  return (performance.now() - begin) / 1000
}
