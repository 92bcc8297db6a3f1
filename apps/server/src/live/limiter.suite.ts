import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import type { Limiter, LimiterOptions } from '#live/limiter'

/** What every limiter keeps. */
export function limiterSuite(name: string, make: (options: LimiterOptions) => Limiter): void {
  test(`${name}: a credential has its calls a minute and no more`, async () => {
    const limiter = make({ callsPerMinute: 3, guessesPerMinute: 1 })
    const me = randomUUID()
    const allowances = []
    for (let call = 0; call < 5; call++) allowances.push(await limiter.call(me))
    assert.deepEqual(
      allowances.map((allowance) => [allowance?.allowed, allowance?.limit, allowance?.remaining]),
      [
        [true, 3, 2],
        [true, 3, 1],
        [true, 3, 0],
        [false, 3, 0],
        [false, 3, 0],
      ],
    )
    for (const allowance of allowances) {
      assert.ok(allowance !== undefined && allowance.resetSeconds >= 1 && allowance.resetSeconds <= 60)
    }
  })

  test(`${name}: of many calls at once exactly as many pass as may`, async () => {
    const limiter = make({ callsPerMinute: 10, guessesPerMinute: 1 })
    const me = randomUUID()
    const allowances = await Promise.all(Array.from({ length: 40 }, () => limiter.call(me)))
    assert.equal(allowances.filter((allowance) => allowance?.allowed).length, 10)
  })

  test(`${name}: one credential takes nothing from another, and calls nothing from guesses`, async () => {
    const limiter = make({ callsPerMinute: 1, guessesPerMinute: 1 })
    const [me, you] = [randomUUID(), randomUUID()]
    await limiter.call(me)
    assert.equal((await limiter.call(me))?.allowed, false)
    assert.equal((await limiter.call(you))?.allowed, true)
    assert.equal((await limiter.guess(me)).allowed, true)
    assert.equal((await limiter.guess(me)).allowed, false)
  })

  test(`${name}: no limit for calls leaves guesses limited`, async () => {
    const limiter = make({ callsPerMinute: 0, guessesPerMinute: 1 })
    const me = randomUUID()
    for (let call = 0; call < 5; call++) assert.equal(await limiter.call(me), undefined)
    await limiter.guess(me)
    assert.equal((await limiter.guess(me)).allowed, false)
  })
}
