import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formatFor } from './format.ts'

const english = formatFor('en', 'Europe/Berlin')
const german = formatFor('de', 'Europe/Berlin')
// Languages write some of their spaces so that no line breaks there.
const plain = (text: string) => text.replaceAll(/[   ]/g, ' ')

test('sizes are told in the largest unit that they fill', () => {
  assert.equal(english.bytes(0), '0 B')
  assert.equal(english.bytes(999), '999 B')
  assert.equal(english.bytes(1_000), '1 kB')
  assert.equal(english.bytes(1_550_000_000), '1.6 GB')
  assert.equal(german.bytes(1_550_000_000), '1,6 GB')
  assert.equal(english.rate(12_300_000), '12.3 MB/s')
})

test('nothing is at 100 % before its end', () => {
  assert.equal(english.percent(0.9999), '99%')
  assert.equal(english.percent(1), '100%')
})

test('times are those of the account, whatever the device thinks', () => {
  assert.match(plain(english.dateTime('2026-07-01T22:30:00.000Z')), /Jul 2, 2026, 12:30 AM/)
  assert.match(plain(german.dateTime('2026-07-01T22:30:00.000Z')), /02\.07\.2026, 00:30/)
})

test('a distance is told in its largest unit, in both directions', () => {
  const now = new Date('2026-11-01T12:00:00.000Z')
  assert.equal(english.relative('2026-11-04T12:00:00.000Z', now), 'in 3 days')
  assert.equal(english.relative('2026-11-01T11:55:00.000Z', now), '5 minutes ago')
  assert.equal(english.relative(now, now), 'now')
})

test('a duration has its two largest units', () => {
  assert.equal(english.duration(0.2), '1 s')
  assert.equal(english.duration(7_500), '2 h 5 min')
  assert.equal(english.duration(7_200), '2 h')
  assert.equal(english.duration(90_061), '1 d 1 h')
})
