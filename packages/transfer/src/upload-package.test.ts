import assert from 'node:assert/strict'
import { test } from 'node:test'
import { randomBytes } from '#simulation/bytes'
import { SimRefusal } from '#simulation/cloud'
import type { Dice } from '#simulation/dice'
import { chunkSize, fairCourse } from '#simulation/storm'
import { faultsOfUpload } from '#simulation/verdict'
import { createWorld, upload } from '#simulation/voyage'

const files = (dice: Dice, count: number, size: number) => Array.from({ length: count }, () => randomBytes(dice, size))

test('of many files only a window is open at a time', async () => {
  let most = 0
  const onOpenFiles = (count: number) => {
    most = Math.max(most, count)
  }
  const world = createWorld(1, (dice) => ({ ...fairCourse(files(dice, 1_500, 1)), lanes: 32, onOpenFiles }))
  const voyage = await upload(world)
  assert.deepEqual(faultsOfUpload(world, voyage), [])
  assert.ok(most > 500 && most <= 1_000, `${most} files were open at once`)
})

test('small files are added and finalized many at a time', async () => {
  const { cloud, ...world } = createWorld(1, (dice) => fairCourse(files(dice, 1_000, 10)))
  let calls = 0
  const counted = {
    ...cloud,
    addFiles: (...args: Parameters<typeof cloud.addFiles>) => {
      calls++
      return cloud.addFiles(...args)
    },
    finalizeFiles: (...args: Parameters<typeof cloud.finalizeFiles>) => {
      calls++
      return cloud.finalizeFiles(...args)
    },
  }
  assert.equal((await upload({ ...world, cloud: counted })).outcome.state, 'complete')
  assert.ok(calls < 150, `${calls} calls for 1,000 files`)
})

test('addresses that live shorter than the upload are asked for again, and cost it little', async () => {
  const course = (addressLifeMs: number) => (dice: Dice) => {
    const fair = fairCourse(files(dice, 1, chunkSize * 104))
    return { ...fair, lanes: 2, weather: { ...fair.weather, bytesPerSecond: chunkSize, addressLifeMs } }
  }
  const long = await upload(createWorld(1, course(3_600_000)))
  const short = await upload(createWorld(1, course(2_000)))
  assert.equal(short.outcome.state, 'complete')
  assert.ok(short.tookMs < long.tookMs * 1.5, `${short.tookMs} ms instead of ${long.tookMs} ms`)
})

test('a limit of rate holds for all lanes together', async () => {
  const course = (dice: Dice) => ({ ...fairCourse(files(dice, 300, chunkSize)), bytesPerSecondLimit: 1_000 })
  const { outcome, tookMs, traffic } = await upload(createWorld(1, course))
  assert.equal(outcome.state, 'complete')
  const speed = (traffic.bytes / tookMs) * 1_000
  assert.ok(speed > 900 && speed < 1_050, `${speed.toFixed(0)} bytes a second`)
})

test('a file that the package does not take keeps none of the others back', async () => {
  const course = (dice: Dice) => ({ ...fairCourse(files(dice, 100, 10)), refusedName: 'file 41' })
  const { outcome, cloud } = await upload(createWorld(1, course))
  assert.ok(outcome.state === 'error')
  assert.deepEqual([outcome.fault.code, outcome.failedFiles], ['file_type_refused', 1])
  assert.equal([...cloud.files.values()].filter(({ claim }) => claim !== undefined).length, 99)
  assert.equal(cloud.finalized(), false)
})

test('a token that has ended ends the upload, and what was up by then is not sent again', async () => {
  const { cloud, ...world } = createWorld(1, (dice) => fairCourse(files(dice, 30, chunkSize * 3)))
  let refusals = 0
  const strict = {
    ...cloud,
    finalizeFiles: (...args: Parameters<typeof cloud.finalizeFiles>) => {
      if (refusals++ < 2) throw new SimRefusal(401, 'token_expired')
      return cloud.finalizeFiles(...args)
    },
  }
  const voyage = await upload({ ...world, cloud: strict })
  assert.deepEqual([voyage.outcome.state, voyage.errors], ['complete', 2])
  assert.ok(voyage.traffic.bytes - voyage.traffic.spoiled <= 30 * chunkSize * 3, 'nothing was sent twice')
})

test('a file that changed in the middle of a request whose answer was lost is not taken for a good one', async () => {
  for (let seed = 1; seed <= 100; seed++) {
    const world = createWorld(seed, (dice) => {
      const fair = fairCourse(files(dice, 1, chunkSize))
      return { ...fair, disturbances: 1, weather: { ...fair.weather, bytesPerSecond: chunkSize, lostReply: 0.5 } }
    })
    assert.deepEqual(faultsOfUpload(world, await upload(world)), [], `seed ${seed}`)
  }
})
