import type { Clock } from './ports.ts'
import { inScope, sleep } from './waits.ts'

interface Gathering<Item> {
  /** Items of one call at most, and their weight in sum where they differ. */
  readonly most: number
  readonly heaviest?: number
  readonly weigh?: (item: Item) => number
  /** How long the first one waits for company. */
  readonly lingerMs: number
  /** How long further calls wait, once one was made, until there are `enough` for the next. */
  readonly more?: { readonly enough: number; readonly waitMs: number }
}

interface Asked<Item, Result> {
  readonly item: Item
  readonly resolve: (result: Result) => void
  readonly reject: (error: unknown) => void
}

/**
 * Makes one call of many. While a call is under way the next one gathers, and where one follows another there is no
 * hurry: what a call costs by itself is far more than what one item more costs.
 * The work answers for each item, in order, its result or the error that this item alone met.
 */
export function gather<Item, Result>(
  clock: Clock,
  signal: AbortSignal,
  options: Gathering<Item>,
  work: (items: readonly Item[]) => Promise<readonly (Result | Error)[]>,
): (item: Item) => Promise<Result> {
  const { more } = options
  const asked: Asked<Item, Result>[] = []
  let busy = false
  let came = () => {}

  const untilEnough = ({ enough, waitMs }: NonNullable<typeof more>) =>
    inScope(signal, async (scope) => {
      came = () => {
        if (asked.length >= enough) scope.abort()
      }
      came()
      await sleep(clock, waitMs, scope.signal).catch(() => signal.throwIfAborted())
    })

  const run = async () => {
    busy = true
    try {
      await sleep(clock, options.lingerMs, signal)
      for (let calls = 0; asked.length > 0; calls++) {
        if (calls > 0 && more !== undefined) await untilEnough(more)
        const some = asked.splice(0, howMany(asked, options))
        await answer(some, work)
      }
    } catch (error) {
      for (const one of asked.splice(0)) one.reject(error)
    } finally {
      busy = false
    }
  }

  return (item) =>
    new Promise<Result>((resolve, reject) => {
      asked.push({ item, resolve, reject })
      came()
      if (!busy) void run()
    })
}

function howMany<Item>(asked: readonly Asked<Item, never>[], options: Gathering<Item>): number {
  const { most, heaviest = Number.POSITIVE_INFINITY, weigh = () => 0 } = options
  let weight = 0
  for (const [index, { item }] of asked.entries()) {
    weight += weigh(item)
    if (index > 0 && (index >= most || weight > heaviest)) return index
  }
  return asked.length
}

async function answer<Item, Result>(
  some: readonly Asked<Item, Result>[],
  work: (items: readonly Item[]) => Promise<readonly (Result | Error)[]>,
): Promise<void> {
  try {
    const results = await work(some.map(({ item }) => item))
    for (const [index, one] of some.entries()) {
      const result = results[index]
      if (result instanceof Error) one.reject(result)
      else one.resolve(result as Result)
    }
  } catch (error) {
    for (const one of some) one.reject(error)
  }
}
