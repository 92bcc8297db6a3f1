import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { boundLanes, type LaneEvent, type Lanes, openLanes, stepLanes } from '#lanes'

/** A line or store: how many bytes a second so many lanes bring, and what share of requests it turns away. */
interface Far {
  readonly goodput: (lanes: number) => number
  readonly trouble?: (lanes: number) => number
}

/** Runs all lanes full for a while. */
function travel(lanes: Lanes, { goodput, trouble = () => 0 }: Far, seconds: number, from = 0): Lanes {
  let now = lanes
  let owed = 0
  for (let tenth = 1; tenth <= seconds * 10; tenth++) {
    const at = from + tenth * 100
    now = stepLanes(now, at, { kind: 'taken', inUse: now.limit })
    now = stepLanes(now, at, { kind: 'moved', bytes: goodput(now.limit) / 10 })
    owed += trouble(now.limit)
    for (let ended = 0; ended < 3; ended++) {
      now = stepLanes(now, at, { kind: 'ended', trouble: owed >= 1 })
      if (owed >= 1) owed--
    }
  }
  return now
}

const bounds = { least: 1, most: 64 }

test('on a line where each lane brings its share, lanes are added up to the bound', () => {
  assert.equal(travel(openLanes(0, bounds), { goodput: (lanes) => lanes * 1_000 }, 20).limit, 64)
})

test('on a store that is full with eight, they stay near eight', () => {
  const { limit } = travel(openLanes(0, bounds), { goodput: (lanes) => Math.min(8, lanes) * 1_000 }, 200)
  assert.ok(limit >= 8 && limit <= 12, `${limit} lanes`)
})

test('a store that turns away every fifth request gets fewer', () => {
  const far: Far = { goodput: () => 8_000, trouble: (lanes) => (lanes > 4 ? 0.9 : 0) }
  const { limit } = travel(openLanes(0, bounds), far, 60)
  assert.ok(limit <= 6, `${limit} lanes`)
})

test('one fault in a hundred takes no lane away', () => {
  const far: Far = { goodput: (lanes) => lanes * 1_000, trouble: () => 0.03 }
  assert.equal(travel(openLanes(0, bounds), far, 60).limit, 64)
})

test('a raise that brought nothing is taken back, and the next one waits longer', () => {
  const flat: Far = { goodput: () => 1_000 }
  const raised = travel(openLanes(0, bounds), flat, 2.1)
  assert.equal(raised.limit, 16)
  const back = travel(raised, flat, 2.1, 2_100)
  assert.equal(back.limit, 8)
  assert.ok(back.nextRest > raised.nextRest)
})

test('lanes that were not all in use say nothing about their number', () => {
  let lanes = openLanes(0, bounds)
  for (let at = 100; at < 60_000; at += 100) {
    lanes = stepLanes(lanes, at, { kind: 'taken', inUse: 3 })
    lanes = stepLanes(lanes, at, { kind: 'moved', bytes: at })
  }
  assert.equal(lanes.limit, 8)
})

test('a pause is not taken for a slow line', () => {
  const raised = travel(openLanes(0, bounds), { goodput: (lanes) => lanes * 1_000 }, 2.1)
  const woken = stepLanes(raised, 600_000, { kind: 'moved', bytes: 1 })
  assert.equal(woken.limit, raised.limit)
})

test('whatever happens, the limit keeps its bounds', () => {
  const event = fc.oneof<fc.Arbitrary<LaneEvent>[]>(
    fc.record({ kind: fc.constant('taken' as const), inUse: fc.nat(100) }),
    fc.record({ kind: fc.constant('moved' as const), bytes: fc.nat(1_000_000) }),
    fc.record({ kind: fc.constant('ended' as const), trouble: fc.boolean() }),
  )
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.nat(3_000), event)), (events) => {
      let at = 0
      let lanes = openLanes(0, { least: 2, most: 9 })
      for (const [later, event] of events) {
        at += later
        lanes = stepLanes(lanes, at, event)
        assert.ok(lanes.limit >= 2 && lanes.limit <= 9)
      }
    }),
  )
})

test('other bounds hold at once', () => {
  const lanes = openLanes(0, bounds)
  assert.equal(boundLanes(lanes, 1, 4).limit, 4)
  assert.equal(boundLanes(lanes, 12, 20).limit, 12)
})

test('whoever may have more lanes and has all of them gets more at once', () => {
  const all = openLanes(0, { least: 1, most: 8, first: 8 })
  assert.equal(boundLanes(all, 1, 32).limit, 32)
  assert.equal(boundLanes(openLanes(0, { least: 1, most: 12, first: 8 }), 1, 32).limit, 8)
})
