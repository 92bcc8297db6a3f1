import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { StreamEvent } from '@longshore/kit/door/stream'
import { createFeed, type Feed } from './feed.ts'

const everything = () => [
  { type: 'one', data: '{}' },
  { type: 'other', data: '{}' },
]

/** Follows a feed, and answers what it heard. */
function listen(feed: Feed, lastEventId?: string) {
  const heard: StreamEvent[] = []
  const stop = feed.follow(lastEventId)({ tell: (event) => void heard.push(event), beat: () => {}, end: () => {} })
  return { heard, stop, types: () => heard.map(({ type }) => type) }
}

test('who follows hears what happens from then on, until they stop', () => {
  const feed = createFeed('p', everything)
  feed.tell('before', {})
  const { types, stop } = listen(feed)
  feed.tell('during', {})
  stop()
  feed.tell('after', {})
  assert.deepEqual(types(), ['during'])
})

test('who comes back hears what they missed, once and in order', () => {
  const feed = createFeed('p', everything)
  const first = listen(feed)
  feed.tell('a', {})
  first.stop()
  feed.tell('b', {})
  feed.tell('c', {})
  const again = listen(feed, first.heard.at(-1)?.id)
  feed.tell('d', {})
  again.stop()
  assert.deepEqual(again.types(), ['b', 'c', 'd'])
})

test('who has missed nothing hears nothing twice', () => {
  const feed = createFeed('p', everything)
  const first = listen(feed)
  feed.tell('a', {})
  first.stop()
  const again = listen(feed, first.heard.at(-1)?.id)
  again.stop()
  assert.deepEqual(again.types(), [])
})

for (const [what, id] of [
  ['of an earlier process', 'q.1'],
  ['that is none', 'x'],
]) {
  test(`behind an id ${what} everything is told anew, and can be gone on from`, () => {
    const feed = createFeed('p', everything)
    feed.tell('a', {})
    const anew = listen(feed, id)
    anew.stop()
    assert.deepEqual(anew.types(), ['one', 'other'])
    assert.equal(anew.heard[0]?.id, undefined, 'who heard only this one would never hear the other')
    feed.tell('b', {})
    const again = listen(feed, anew.heard.at(-1)?.id)
    again.stop()
    assert.deepEqual(again.types(), ['b'])
  })
}

test('after more than can be kept, everything is told anew', () => {
  const feed = createFeed('p', everything)
  feed.tell('a', {})
  for (let n = 0; n < 1_000; n++) feed.tell('b', {})
  const late = listen(feed, 'p.1')
  late.stop()
  assert.deepEqual(late.types(), ['one', 'other'])
})
