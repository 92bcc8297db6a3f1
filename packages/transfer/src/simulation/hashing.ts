import type { Digest, Hasher } from '#ports'
import { checksumsOf, joined } from './bytes.ts'
import type { SimProcess } from './process.ts'

/** Reads behind the writers, in steps, and whatever is there at that moment. */
export function createHasher(
  { clock, hold, line }: SimProcess,
  read: (of: object, start: number, end: number) => Uint8Array,
): Hasher {
  return {
    begin: (of): Digest => {
      const release = hold('digest')
      // Mostly close behind, sometimes far.
      const lagMs = line.dice.oneOf([1, 2, 3_000])
      const pieces: Uint8Array[] = []
      let at = 0
      let reading = Promise.resolve()
      let callOff: (() => void) | undefined
      const step = (start: number, end: number) =>
        new Promise<void>((resolve, reject) => {
          callOff = clock.after(line.dice.between(0, lagMs), () => {
            try {
              if (end > start) pieces.push(read(of, start, end))
              resolve()
            } catch (error) {
              reject(error)
            }
          })
        })
      return {
        advance: (end) => {
          const start = at
          at = end
          reading = reading.then(() => step(start, end))
          // Whoever finishes hears of it.
          reading.catch(() => undefined)
        },
        finish: async () => {
          await reading
          return checksumsOf(joined(pieces))
        },
        drop: () => {
          callOff?.()
          reading = Promise.reject(new Error('dropped'))
          reading.catch(() => undefined)
          release()
        },
      }
    },
  }
}
