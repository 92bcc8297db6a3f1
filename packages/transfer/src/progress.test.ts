import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { createMeter } from '#meter'
import { advance, already, noProgress, secondsLeft, speedAt } from '#progress'
import { createTime } from '#simulation/time'

test('a steady stream has the speed it has', () => {
  let progress = noProgress(0)
  for (let at = 100; at <= 30_000; at += 100) progress = advance(progress, at, 1_000)
  assert.ok(Math.abs(progress.bytesPerSecond / 10_000 - 1) < 0.01)
  assert.equal(secondsLeft(progress, 30_000, 400_000), 10)
})

test('a line that goes away is noticed although nothing is heard', () => {
  let progress = noProgress(0)
  for (let at = 100; at <= 10_000; at += 100) progress = advance(progress, at, 1_000)
  assert.ok(speedAt(progress, 40_000) < 100)
})

test('bytes of an earlier run count as moved and not as fast', () => {
  const progress = advance(already(noProgress(0), 1_000_000), 1_000, 500)
  assert.equal(progress.bytes, 1_000_500)
  assert.equal(progress.bytesPerSecond, 500)
})

test('nobody knows how long something takes that does not move, and what is done takes no time', () => {
  assert.equal(secondsLeft(noProgress(0), 5_000, 10), undefined)
  assert.equal(secondsLeft(already(noProgress(0), 10), 5_000, 10), 0)
})

test('however often bytes are moved in vain, a file shows each of them once', () => {
  const attempts = fc.array(fc.tuple(fc.nat(100), fc.boolean()), { minLength: 1 })
  fc.assert(
    fc.property(attempts, fc.boolean(), (attempts, beginAnew) => {
      const told: number[] = []
      const meter = createMeter(createTime().clockOf(Symbol('test')), (_, bytes) => told.push(bytes))
      const file = meter.file(7)
      let kept = 0
      for (const [bytes, keep] of attempts) {
        const stretch = file.stretch()
        stretch.moved(bytes)
        stretch.end(keep ? bytes : 0)
        kept += keep ? bytes : 0
      }
      if (beginAnew) {
        file.begin()
        file.found(kept)
      }
      const most = Math.max(...attempts.map(([bytes]) => bytes))
      const shown = told.at(-1) ?? 0
      assert.ok(shown >= kept && shown <= kept + most)
      assert.deepEqual(
        told,
        told.toSorted((a, b) => a - b),
      )
      assert.equal(meter.progress().bytes, shown)
    }),
  )
})
