import { randomBytes } from './bytes.ts'
import type { Dice } from './dice.ts'
import type { SimSource } from './disk.ts'
import type { Course } from './voyage.ts'
import { calm } from './weather.ts'

/** Small, so that a file of many chunks is a few hundred bytes. */
export const chunkSize = 64

function someFiles(dice: Dice, count: number): SimSource[] {
  return Array.from({ length: count }, (_, n) => {
    const directory = dice.happens(0.05)
    const size = directory
      ? 0
      : dice.oneOf([0, dice.below(chunkSize), chunkSize, chunkSize + 1, dice.below(chunkSize * 12)])
    return {
      n,
      name: `file ${n}`,
      path: n % 3 === 0 ? '' : 'folder',
      kind: directory ? 'directory' : 'file',
      versions: [randomBytes(dice, size)],
      gone: false,
    }
  })
}

/** Everything that can go wrong, each now and then, in a mix of its own for each seed. */
export function storm(dice: Dice): Course {
  const share = () => (dice.happens(0.5) ? 0 : dice.next() ** 2 * 0.2)
  const count = 1 + dice.below(10)
  return {
    weather: {
      latencyMs: dice.oneOf([1, 20, 150]),
      bytesPerSecond: dice.oneOf([200, 2_000, 50_000]),
      unavailable: share(),
      resetBefore: share(),
      resetInBody: share(),
      lostReply: dice.happens(0.15) ? 0.5 : share(),
      stall: share() / 4,
      slowBody: share() / 2,
      noEtag: share(),
      bitFlip: dice.happens(0.2) ? 0.01 : 0,
      addressLifeMs: dice.oneOf([5_000, 60_000, 3_600_000]),
    },
    sources: someFiles(dice, count),
    hardLives: dice.below(6),
    chunkSize,
    lanes: 1 + dice.below(6),
    growing: 0,
    disturbances: dice.happens(0.3) ? 1 + dice.below(3) : 0,
    cloudForgets: dice.happens(0.3),
    serverDies: share(),
    refusedName: dice.happens(0.1) ? 'file 1' : '',
  }
}

/** Files with these contents, in weather in which nothing goes wrong. */
export const fairCourse = (contents: readonly Uint8Array[]): Course => ({
  weather: calm,
  sources: contents.map((bytes, n) => ({
    n,
    name: `file ${n}`,
    path: '',
    kind: 'file',
    versions: [bytes],
    gone: false,
  })),
  hardLives: 0,
  chunkSize,
  lanes: 8,
  growing: 0,
  disturbances: 0,
  cloudForgets: false,
  serverDies: 0,
  refusedName: '',
})
