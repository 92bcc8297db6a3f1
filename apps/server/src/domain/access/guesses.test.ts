import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createLimiter } from '#live/limiter'
import { countGuess, network } from './guesses.ts'

test('an IPv4 address stands for itself, however it is written', () => {
  assert.equal(network('192.0.2.7'), '192.0.2.7')
  assert.equal(network('::ffff:192.0.2.7'), '192.0.2.7')
  assert.notEqual(network('192.0.2.7'), network('192.0.2.8'))
})

test('all addresses of one IPv6 /64 are one', () => {
  const home = network('2001:db8:1:2::1')
  for (const address of [
    '2001:db8:1:2:ffff:ffff:ffff:ffff',
    '2001:0db8:0001:0002:0000:0000:0000:0001',
    '2001:DB8:1:2::abcd',
    '2001:db8:1:2:3::',
  ]) {
    assert.equal(network(address), home, address)
  }
})

test('two /64s are two, also next to each other and where the short form hides the difference', () => {
  const addresses = [
    '2001:db8:1:2::1',
    '2001:db8:1:3::1',
    '2001:db8::1',
    '2001:db8:1::1',
    '2001:db8:0:1::1',
    '::1',
    'fe80::1',
  ]
  assert.equal(new Set(addresses.map(network)).size, addresses.length)
})

const limited = (guessesPerMinute: number) => ({
  limiter: createLimiter(undefined, { callsPerMinute: 0, guessesPerMinute }),
})

test('tries from one /64 count together, whatever they aim at', async () => {
  const cx = limited(3)
  for (const host of [1, 2, 3]) await countGuess(cx, `link:${host}`, `2001:db8::${host}`)
  await assert.rejects(
    countGuess(cx, 'link:4', '2001:db8::4'),
    (error: { code: string; retryAfterSeconds: number }) => {
      assert.equal(error.code, 'rate_limited')
      assert.ok(error.retryAfterSeconds >= 1 && error.retryAfterSeconds <= 60)
      return true
    },
  )
  await countGuess(cx, 'link:4', '2001:db8:0:1::4')
})

test('tries at one thing count together, wherever they come from', async () => {
  const cx = limited(3)
  for (const host of [1, 2, 3]) await countGuess(cx, 'sign-in:olga', `192.0.2.${host}`)
  await assert.rejects(countGuess(cx, 'sign-in:olga', '192.0.2.4'), { code: 'rate_limited' })
  await countGuess(cx, 'sign-in:otto', '192.0.2.5')
})
