/** Chance that can be repeated: the same seed throws the same numbers. */
export interface Dice {
  readonly next: () => number
  readonly below: (n: number) => number
  readonly between: (least: number, most: number) => number
  readonly happens: (probability: number) => boolean
  readonly oneOf: <Item>(items: readonly [Item, ...Item[]]) => Item
}

/** mulberry32: small, and good enough for weather. */
export function createDice(seed: number): Dice {
  let state = seed >>> 0
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let word = Math.imul(state ^ (state >>> 15), 1 | state)
    word = (word + Math.imul(word ^ (word >>> 7), 61 | word)) ^ word
    return ((word ^ (word >>> 14)) >>> 0) / 2 ** 32
  }
  const below = (n: number) => Math.floor(next() * n)
  return {
    next,
    below,
    between: (least, most) => least + next() * (most - least),
    happens: (probability) => next() < probability,
    oneOf: (items) => items[below(items.length)] ?? items[0],
  }
}
