import assert from 'node:assert/strict'
import { test } from 'node:test'
import { randomBytes } from '#simulation/bytes'
import type { Dice } from '#simulation/dice'
import { chunkSize, fairCourse } from '#simulation/storm'
import { createTime } from '#simulation/time'
import { type Course, createWorld, download, upload, type World } from '#simulation/voyage'
import { createStoreReach } from './store-reach.ts'

const minute = 60_000

/** Reach, with a clock that is set by hand. */
function watching() {
  let at = 0
  const told: boolean[] = []
  const clock = { ...createTime().clockOf(Symbol('host')), now: () => at }
  const reach = createStoreReach(clock, (reached) => told.push(reached))
  const round = (ms: number) => {
    reach.addressed()
    reach.silent()
    at += ms
  }
  return { reach, told, round, wait: (ms: number) => (at += ms) }
}

test('a store that is silent at fresh addresses time and again is out of reach, and reached by one answer', () => {
  const { reach, told, round } = watching()
  for (let count = 0; count < 3; count++) round(5_000)
  assert.deepEqual([told, reach.isAway()], [[false], true])
  round(5_000)
  reach.heard()
  assert.deepEqual([told, reach.isAway()], [[false, true], false])
})

test('a line that is down for everybody, a burst of failures and a store that is started anew are none of that', () => {
  const { reach, told, round, wait } = watching()
  reach.addressed()
  for (let count = 0; count < 100; count++) {
    reach.silent()
    wait(minute)
  }
  reach.heard()
  for (let count = 0; count < 20; count++) round(100)
  reach.heard()
  round(minute)
  reach.heard()
  round(minute)
  assert.deepEqual(told, [true])
})

/** What is told of a store that is away for half an hour, and how often the cloud is asked to add files. */
async function halfAnHour(sizes: readonly number[], carry: (world: World) => Promise<{ outcome: { state: string } }>) {
  const told: boolean[] = []
  const course = (dice: Dice): Course => ({
    ...fairCourse(sizes.map((size) => randomBytes(dice, size))),
    storeSilentMs: 30 * minute,
    onStore: (reached) => told.push(reached),
  })
  const { cloud, ...world } = createWorld(1, course)
  let adds = 0
  const counted = {
    ...cloud,
    addFiles: (...args: Parameters<typeof cloud.addFiles>) => {
      adds++
      return cloud.addFiles(...args)
    },
  }
  const { outcome } = await carry({ ...world, cloud: counted })
  assert.equal(outcome.state, 'complete')
  return { told, adds }
}

test('files in one request and in chunks: the store is told to be away, the cloud is left in peace, and it goes on', async () => {
  const { told, adds } = await halfAnHour([...Array.from({ length: 50 }, () => 10), chunkSize * 20], upload)
  assert.deepEqual(told, [false, true])
  assert.ok(adds < 60, `${adds} calls to add files`)
})

test('a download tells of it too', async () => {
  const { told } = await halfAnHour(
    [chunkSize * 20],
    async ({ course: { storeSilentMs = 0, ...course }, ...world }) => {
      await upload({ ...world, course })
      return download({ ...world, course: { ...course, storeSilentMs } })
    },
  )
  assert.deepEqual(told, [true, false, true])
})
