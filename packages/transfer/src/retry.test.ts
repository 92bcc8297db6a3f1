import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { Fault } from '#faults'
import { pauseAfter, persist, persistCall } from '#retry'
import { createTime } from '#simulation/time'

const chance = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true })

test('pauses grow, are never longer than half a minute, and at least half of each is certain', () => {
  fc.assert(
    fc.property(fc.nat(5_000), chance, (attempt, chance) => {
      const pause = pauseAfter(attempt, chance)
      assert.ok(pause >= 100 && pause <= 30_000)
      assert.ok(pauseAfter(attempt + 1, chance) >= pause)
      assert.ok(pause >= pauseAfter(attempt, 0) && pause <= 2 * pauseAfter(attempt, 0))
    }),
  )
})

test('who names a time to wait is heeded', () => {
  assert.equal(pauseAfter(0, 0.5, 90_000), 90_000)
  assert.ok(pauseAfter(9, 0.5, 10) > 10)
})

function scene() {
  const time = createTime()
  const owner = Symbol('test')
  return { time, left: () => time.pending(owner), cx: { clock: time.clockOf(owner), chance: () => 0.5 } }
}

test('what passes is tried again until it is done, for days if need be', async () => {
  const { time, cx, left } = scene()
  let attempts = 0
  const work = async () => {
    if (++attempts < 10_000) throw new Error('ECONNREFUSED')
    return 'done'
  }
  assert.equal(await time.until(persist(cx, new AbortController().signal, work)), 'done')
  assert.ok(time.now() > 2 * 24 * 3_600_000)
  assert.equal(left(), 0)
})

test('what does not pass is not tried again', async () => {
  const { time, cx } = scene()
  let attempts = 0
  const work = async () => {
    attempts++
    throw new Fault('permanent', 'source_gone', 'm')
  }
  await assert.rejects(time.until(persist(cx, new AbortController().signal, work)), { code: 'source_gone' })
  assert.equal(attempts, 1)
})

test('a pause ends with its signal, and leaves no timer', async () => {
  const { time, cx, left } = scene()
  const stop = new AbortController()
  const work = async () => {
    throw new Error('ECONNREFUSED')
  }
  const trying = persist(cx, stop.signal, work)
  time.clockOf(Symbol('user')).after(5_000, () => stop.abort(new Error('enough')))
  await assert.rejects(time.until(trying), /enough/)
  assert.equal(left(), 0)
})

test('a call that is never answered is made again', async () => {
  const { time, cx, left } = scene()
  let calls = 0
  const call = (signal: AbortSignal) =>
    ++calls > 1
      ? Promise.resolve('answer')
      : new Promise<string>((_, reject) => signal.addEventListener('abort', () => reject(new Error('aborted'))))
  assert.equal(await time.until(persistCall(cx, new AbortController().signal, call)), 'answer')
  assert.equal(left(), 0)
})
