import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test, type TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Feed, FeedEvent } from '#live/feed'
import { isBehind, kept } from '#live/feed-ids'

/** Someone who follows a channel and writes down what they are told. */
export function listen(t: TestContext, feed: Feed, channel: string, after?: string) {
  const heard: FeedEvent[] = []
  let missed = 0
  const stop = feed.follow(channel, after, { heard: (event) => heard.push(event), missed: () => missed++ })
  t.after(stop)
  return { heard, stop, missed: () => missed, said: () => heard.map(({ data }) => JSON.parse(data) as unknown) }
}

/** Waits until something is so; says what was there instead when it never is. */
export async function untilSo<Value>(look: () => Value, isSo: (value: Value) => boolean, ms = 5_000): Promise<void> {
  const deadline = Date.now() + ms
  while (!isSo(look())) {
    if (Date.now() > deadline) assert.fail(`still ${JSON.stringify(look())}`)
    await sleep(5)
  }
}

const say = (feed: Feed, channel: string, word: unknown) =>
  feed.publish([channel], { type: 'word', data: JSON.stringify(word) })

/** What every feed keeps. Two are what two processes have; without Redis they are one and the same. */
export function feedSuite(name: string, feeds: () => readonly [Feed, Feed]): void {
  /** Follows, and waits until it does: the feed says so by passing on a first word. */
  async function following(t: TestContext, feed: Feed, channel: string) {
    const ear = listen(t, feed, channel)
    await untilSo(
      () => {
        if (ear.heard.length === 0) say(feed, channel, 'hello')
        return ear.heard.length
      },
      (count) => count > 0,
    )
    await sleep(50)
    ear.heard.length = 0
    return ear
  }

  test(`${name}: followers in every process hear each event once, in order, with growing ids`, async (t) => {
    const [one, other] = feeds()
    const channel = randomUUID()
    const ears = [
      await following(t, one, channel),
      await following(t, one, channel),
      await following(t, other, channel),
    ]
    for (const ear of ears) ear.heard.length = 0
    const words = Array.from({ length: 50 }, (_, nth) => nth)
    for (const word of words) say(one, channel, word)
    for (const ear of ears) await untilSo(ear.said, (said) => said.length >= 50)
    for (const ear of ears) {
      assert.deepEqual(ear.said(), words)
      for (const [nth, { id }] of ear.heard.entries()) {
        assert.ok(nth === 0 || isBehind(id, ear.heard[nth - 1]?.id ?? ''))
      }
      assert.equal(ear.missed(), 0)
    }
    assert.deepEqual(ears[0]?.heard, ears[2]?.heard, 'the ids are the same in every process')
  })

  test(`${name}: one event goes to each of its channels, and to no other`, async (t) => {
    const [feed] = feeds()
    const [a, b, c] = [randomUUID(), randomUUID(), randomUUID()]
    const ears = [await following(t, feed, a), await following(t, feed, b), await following(t, feed, c)]
    feed.publish([a, b], { type: 'word', data: '1', about: { portal: 'x' } })
    await untilSo(
      () => ears.map(({ heard }) => heard.length),
      (counts) => counts[0] === 1 && counts[1] === 1,
    )
    assert.deepEqual(ears[0]?.heard[0]?.about, { portal: 'x' })
    assert.equal(ears[2]?.heard.length, 0)
  })

  test(`${name}: who comes back with the id of their last event is told the rest, in another process too`, async (t) => {
    const [one, other] = feeds()
    const channel = randomUUID()
    const ear = await following(t, one, channel)
    for (const word of [1, 2, 3]) say(one, channel, word)
    await untilSo(ear.said, (said) => said.length === 3)
    ear.stop()
    for (const word of [4, 5]) say(one, channel, word)
    await sleep(50)
    for (const feed of [one, other]) {
      const back = listen(t, feed, channel, ear.heard[1]?.id)
      await untilSo(back.said, (said) => said.length === 3)
      assert.deepEqual([back.said(), back.missed()], [[3, 4, 5], 0])
    }
    assert.deepEqual(ear.said(), [1, 2, 3], 'who has stopped hears nothing more')
  })

  test(`${name}: nothing is lost or told twice between what was said and what is being said`, async (t) => {
    const [one, other] = feeds()
    const channel = randomUUID()
    const first = await following(t, one, channel)
    say(one, channel, 0)
    await untilSo(first.said, (said) => said.length === 1)
    const total = 200
    const saying = (async () => {
      for (let word = 1; word <= total; word++) {
        say(one, channel, word)
        if (word % 10 === 0) await sleep(1)
      }
    })()
    const ears = []
    for (let nth = 0; nth < 20; nth++) {
      ears.push(listen(t, nth % 2 === 0 ? one : other, channel, first.heard[0]?.id))
      await sleep(2)
    }
    await saying
    for (const ear of ears) {
      await untilSo(
        () => ear.heard.length,
        (count) => count >= total,
      )
      assert.deepEqual(
        ear.said(),
        Array.from({ length: total }, (_, nth) => nth + 1),
      )
      assert.equal(ear.missed(), 0)
    }
  })

  test(`${name}: who was away for more than is kept is told what is left, and that there was more`, async (t) => {
    const [feed] = feeds()
    const channel = randomUUID()
    const ear = await following(t, feed, channel)
    const total = kept.events * 3
    for (let word = 0; word < total; word++) say(feed, channel, word)
    await untilSo(
      () => ear.heard.length,
      (count) => count === total,
    )
    const back = listen(t, feed, channel, ear.heard[0]?.id)
    await untilSo(back.missed, (missed) => missed === 1)
    assert.ok(back.heard.length >= kept.events && back.heard.length < kept.events * 1.5, String(back.heard.length))
    assert.equal(back.said().at(-1), total - 1)
    const stranger = listen(t, feed, randomUUID(), '1-1')
    await untilSo(stranger.missed, (missed) => missed === 1)
    assert.deepEqual(stranger.heard, [])
  })

  test(`${name}: whether anyone follows is known in every process`, async (t) => {
    const [one, other] = feeds()
    const [channel, empty] = [randomUUID(), randomUUID()]
    assert.equal(await other.isFollowed([channel, empty]), false)
    const ear = await following(t, one, channel)
    assert.equal(await other.isFollowed([empty, channel]), true)
    assert.equal(await other.isFollowed([empty]), false)
    ear.stop()
    const deadline = Date.now() + 2_000
    while (await other.isFollowed([channel])) {
      assert.ok(Date.now() < deadline, 'a channel that nobody follows any more is given up')
      await sleep(10)
    }
  })
}
