import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newId } from '@longshore/kit/ids'
import { createOnce } from '#domain/idempotency'
import { sql } from '#platform/db'
import { dropDayPartitions, makeDayPartitions } from '#store/events'
import { testCx, type TestCx } from '#test-kit/cx'
import { eventsOf } from '#test-kit/look'
import { makePackage } from '#test-kit/make'
import { race } from '#test-kit/race'
import { tidy } from './housekeeping.ts'

const make = (cx: TestCx, days: number) => cx.db.transaction((tx) => makeDayPartitions(tx, 'events', days))
const drop = (cx: TestCx, olderThanDays: number) =>
  cx.db.transaction((tx) => dropDayPartitions(tx, 'events', olderThanDays))

/** The days that have a partition of their own, counted from today. */
const days = async (cx: TestCx) =>
  (
    await cx.db.rows<{ day: number }>(sql`
      select to_date(right(c.relname, 8), 'YYYYMMDD') - current_date as day
        from pg_inherits i join pg_class c on c.oid = i.inhrelid
       where i.inhparent = 'events'::regclass and c.relname ~ '^events_[0-9]{8}$'
       order by 1
    `)
  ).map((row) => row.day)

/** An event of another day, in the partition of that day if there is one. */
const event = (cx: TestCx, day: number) =>
  cx.db.transaction((tx) =>
    tx.run(sql`
      insert into events (day, id, team_id, package_id, type, object)
      values (current_date + ${day}::integer, ${newId()}, ${newId()}, ${newId()}, 'package.created', '{}')
    `),
  )

const eventDays = async (cx: TestCx) =>
  (await cx.db.rows<{ day: number }>(sql`select day - current_date as day from events order by 1`)).map(
    ({ day }) => day,
  )

test('today and the coming days get a partition each, and a second time changes nothing', async (t) => {
  const cx = await testCx(t)
  await make(cx, 3)
  assert.deepEqual(await days(cx), [0, 1, 2, 3])
  await make(cx, 4)
  assert.deepEqual(await days(cx), [0, 1, 2, 3, 4])
})

test('an event goes into the partition of its day, and one of a day without any is kept all the same', async (t) => {
  const cx = await testCx(t)
  await make(cx, 1)
  await event(cx, 0)
  await event(cx, 40)
  const rows = await cx.db.rows<{ place: string }>(
    sql`select tableoid::regclass::text as place from events order by day`,
  )
  assert.match(rows[0]?.place ?? '', /^events_\d{8}$/)
  assert.equal(rows[1]?.place, 'events_other')
})

test('a day whose events are in the partition for all others stays there', async (t) => {
  const cx = await testCx(t)
  await event(cx, 1)
  await make(cx, 2)
  assert.deepEqual(await days(cx), [0, 2])
  assert.deepEqual(await eventDays(cx), [1])
})

test('old days are dropped with their events, wherever they lie; the last day that counts stays', async (t) => {
  const cx = await testCx(t)
  for (const day of [-3, -2, -1, 0]) {
    await cx.db.transaction((tx) =>
      tx.foreign(`
        do $$ begin
          execute format('create table events_%s partition of events for values from (%L) to (%L)',
            to_char(current_date + ${day}, 'YYYYMMDD'), current_date + ${day}, current_date + ${day} + 1);
        end $$`),
    )
    await event(cx, day)
  }
  await event(cx, -30)
  await drop(cx, 2)
  assert.deepEqual(await days(cx), [-2, -1, 0])
  assert.deepEqual(await eventDays(cx), [-2, -1, 0])
  await drop(cx, 2)
  assert.deepEqual(await days(cx), [-2, -1, 0])
})

test('two workers that start at once make the partitions once, and neither fails', async (t) => {
  const cx = await testCx(t)
  const { first, second } = await race(
    cx,
    (cx) => make(cx, 2),
    (cx) => make(cx, 2),
  )
  await Promise.all([first, second])
  assert.deepEqual(await days(cx), [0, 1, 2])
})

test('two workers that drop old partitions at once do it once, and neither fails', async (t) => {
  const cx = await testCx(t)
  await make(cx, 1)
  // Days to come are older than "less than none days ago".
  const { first, second } = await race(
    cx,
    (cx) => drop(cx, -2),
    (cx) => drop(cx, -2),
  )
  await Promise.all([first, second])
  assert.deepEqual(await days(cx), [])
})

test('tidying up leaves what is in use: events of today, keys of today', async (t) => {
  const cx = await testCx(t)
  const pkg = await makePackage(cx)
  const once = { credential: 'c', key: 'young', request: 'r' }
  await createOnce(cx, once, () => Promise.resolve({}))
  await createOnce(cx, { ...once, key: 'old' }, () => Promise.resolve({}))
  await cx.db.transaction((tx) =>
    tx.run(sql`update idempotency_keys set created_at = now() - interval '25 hours' where key = 'old'`),
  )
  await tidy(cx)
  await tidy(cx)
  assert.equal((await eventsOf(cx, pkg.id)).length, 1)
  assert.deepEqual(await cx.db.rows(sql`select key from idempotency_keys`), [{ key: 'young' }])
  // Today went into the partition for all others before there was one of its own.
  assert.deepEqual(await days(cx), [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14])
})
