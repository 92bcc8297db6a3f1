import assert from 'node:assert/strict'
import { once } from 'node:events'
import { test } from 'node:test'
import { isMainThread, Worker, workerData } from 'node:worker_threads'
import { randomBytes } from './bytes.ts'
import type { Dice } from './dice.ts'
import { chunkSize, fairCourse, storm } from './storm.ts'
import { type Course, createWorld, download, upload } from './voyage.ts'
import { faultsOfDownload, faultsOfUpload } from './verdict.ts'
import { calm } from './weather.ts'

async function sail(seed: number): Promise<void> {
  const world = createWorld(seed, storm)
  const sent = await upload(world)
  assert.deepEqual(faultsOfUpload(world, sent), [])
  if (sent.outcome.state !== 'complete') return
  assert.deepEqual(faultsOfDownload(world, await download(world)), [])
}

const only = process.env['SIMULATION_SEED']
const first = Number(only ?? 1)
const seeds = only === undefined ? Number(process.env['SIMULATION_SEEDS'] ?? 2_500) : 1

/** In a thread of its own: the test runner follows every promise, which triples what these cost. */
async function sailAll(from: number, to: number): Promise<void> {
  // Faults are thrown by the thousand here, and nobody reads where.
  if (only === undefined) Error.stackTraceLimit = 0
  for (let seed = from; seed < to; seed++) {
    try {
      await sail(seed)
    } catch (error) {
      throw new Error(`Seed ${seed} failed, SIMULATION_SEED=${seed} repeats it alone: ${String(error)}`, {
        cause: error,
      })
    }
  }
}

/** One large file in fair weather, or with each of three faults in one request of a hundred. */
const crossing =
  (share: number) =>
  (dice: Dice): Course => ({
    ...fairCourse([randomBytes(dice, chunkSize * 400)]),
    weather: { ...calm, bytesPerSecond: chunkSize, unavailable: share, resetInBody: share, lostReply: share },
  })

if (isMainThread) {
  test(`on ${seeds} voyages each file arrives whole or not at all, and none is lost, whatever happens`, async () => {
    const middle = first + (seeds >> 1)
    const ranges = [[first, middle] as const, [middle, first + seeds] as const]
    const threads = ranges.map(([from, to]) => new Worker(new URL(import.meta.url), { workerData: { from, to } }))
    await Promise.all(threads.map((thread) => once(thread, 'exit')))
  })

  test('one fault of each kind in a hundred requests costs less than a tenth of the speed', async (t) => {
    const ratios: number[] = []
    for (let seed = 1; seed <= 5; seed++) {
      const fair = await upload(createWorld(seed, crossing(0)))
      const foul = await upload(createWorld(seed, crossing(0.01)))
      assert.equal(foul.outcome.state, 'complete')
      ratios.push(fair.tookMs / foul.tookMs)
    }
    const median = ratios.sort((a, b) => a - b)[2] ?? 0
    t.diagnostic(`goodput with faults ÷ without: ${median.toFixed(3)} (median of 5 seeds, virtual time)`)
    assert.ok(median >= 0.9, `goodput with faults is ${median.toFixed(3)} of that without`)
  })

  test('the same seed is the same voyage', async () => {
    const [once, again] = [await upload(createWorld(77, storm)), await upload(createWorld(77, storm))]
    assert.deepEqual([once.tookMs, once.traffic, once.cutShort], [again.tookMs, again.traffic, again.cutShort])
  })
} else {
  const { from, to } = workerData as { readonly from: number; readonly to: number }
  await sailAll(from, to)
}
