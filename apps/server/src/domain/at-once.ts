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
