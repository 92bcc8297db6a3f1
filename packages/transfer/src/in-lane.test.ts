import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Fault } from './faults.ts'
import { inLane } from './in-lane.ts'
import { createLanePool } from './lane-pool.ts'
import type { Motion } from './ports.ts'
import { createStoreReach } from './store-reach.ts'
import { createTime } from './simulation/time.ts'

const minute = 60_000

function setting() {
  const time = createTime()
  const clock = time.clockOf(Symbol('host'))
  const host = { clock, chance: () => 0, lanes: createLanePool(clock, { least: 1, most: 1 }) }
  const { signal } = new AbortController()
  const wait = (ms: number) => new Promise<void>((resolve) => void clock.after(ms, resolve))
  const run = async (work: (motion: Motion) => Promise<void>) => {
    const lane = await host.lanes.take({ priority: () => 0, order: 0 }, signal)
    const stalled = (motion: Motion) =>
      new Promise<never>((_resolve, reject) => {
        motion.signal.addEventListener('abort', () => reject(motion.signal.reason as Error))
      })
    const moving = inLane(
      { host, reach: createStoreReach(clock, () => {}) },
      signal,
      lane,
      () => {},
      async (motion) => {
        await Promise.race([work(motion), stalled(motion)])
        return { status: 200, text: '' }
      },
    )
    return time.until(moving).finally(() => lane.leave(false))
  }
  return { run, wait }
}

test('silence of the line ends an attempt', async () => {
  const { run, wait } = setting()
  await assert.rejects(
    run(() => wait(5 * minute)),
    (error) => error instanceof Fault && error.code === 'stalled',
  )
})

test('a wait of the host’s own is not silence, however long; what comes after it may be', async () => {
  const { run, wait } = setting()
  await run(({ waiting }) => waiting(wait(10 * minute)))
  await assert.rejects(
    run(async ({ waiting }) => {
      await waiting(wait(10 * minute))
      await wait(5 * minute)
    }),
    (error) => error instanceof Fault && error.code === 'stalled',
  )
})
