import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseRate, showRate } from '#cli/human/rate'

test('rates are read in bytes or in bits', () => {
  const read = {
    '20MB/s': 160e6,
    '20 MB/s': 160e6,
    '2.5MB': 20e6,
    '100Mbit/s': 100e6,
    '100Mbps': 100e6,
    '1Gbit': 1e9,
    '10MiB/s': 10 * 2 ** 20 * 8,
    '500kB/s': 4e6,
  }
  for (const [text, bits] of Object.entries(read)) assert.equal(parseRate(text), bits, text)
})

test('what could be bits or bytes is refused, with both ways to say it', () => {
  for (const text of ['20mb/s', '20Mb/s', '20mbs']) {
    assert.throws(() => parseRate(text), {
      message: `'${text}' is no rate. Write it like 20MB/s (bytes) or 20Mbit/s (bits).`,
    })
  }
})

test('a rate of nothing, without a unit or without a number is refused', () => {
  for (const text of ['', '0MB/s', '20', 'MB/s', 'fast', '-5MB/s']) assert.throws(() => parseRate(text), /is no rate/)
})

test('rates are shown in bytes', () => {
  assert.equal(showRate(160e6), '20.0 MB/s')
  assert.equal(showRate(0), '0 B/s')
})
