/** A set of small whole numbers at one bit each: a hundred thousand finished files are 12 KiB. */
export interface NumberSet {
  readonly add: (n: number) => void
  readonly has: (n: number) => boolean
  readonly count: () => number
}

export function createNumberSet(): NumberSet {
  let words = new Uint32Array(32)
  let count = 0
  const has = (n: number) => ((words[n >>> 5] ?? 0) & (1 << (n & 31))) !== 0
  return {
    has,
    count: () => count,
    add: (n) => {
      if (has(n)) return
      const word = n >>> 5
      if (word >= words.length) {
        const larger = new Uint32Array(Math.max(word + 1, words.length * 2))
        larger.set(words)
        words = larger
      }
      words[word] = (words[word] ?? 0) | (1 << (n & 31))
      count++
    },
  }
}
