import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isDuplicate, openDb, sql } from '#platform/db'
import { testCx } from '#test-kit/cx'
import { untilWaiting } from '#test-kit/race'

test('values never become text, and pieces inside pieces keep theirs in order', () => {
  const inner = sql`b = ${2} and c = ${"'; drop table users"}`
  const outer = sql`select ${1} where a = ${'x'} and (${inner}) or ${sql`d`} = ${4}`
  assert.deepEqual(outer, {
    strings: ['select ', ' where a = ', ' and (b = ', ' and c = ', ') or d = ', ''],
    values: [1, 'x', 2, "'; drop table users", 4],
  })
})

test('a piece at the beginning, at the end, alone, or empty joins seamlessly', () => {
  const piece = sql`a = ${1}`
  assert.deepEqual(sql`${piece}`, piece)
  assert.deepEqual(sql`${piece} or ${piece}`, { strings: ['a = ', ' or a = ', ''], values: [1, 1] })
  assert.deepEqual(sql`x${sql``}y`, { strings: ['xy'], values: [] })
})

test('the database gets nested pieces as one statement with its values', async (t) => {
  const { db } = await testCx(t)
  const above = sql`n > ${2} and ${sql`n < ${5}`}`
  const rows = await db.rows<{ n: number }>(
    sql`select n from generate_series(${1}::integer, ${9}::integer) n where ${above}`,
  )
  assert.deepEqual(rows, [{ n: 3 }, { n: 4 }])
  assert.equal((await db.row<{ text: string }>(sql`select ${"'; --"}::text as text`))?.text, "'; --")
})

test('sizes come as numbers, and one that no number holds exactly is an error', async (t) => {
  const { db } = await testCx(t)
  assert.equal((await db.row<{ n: number }>(sql`select 9007199254740991::bigint as n`))?.n, 9_007_199_254_740_991)
  await assert.rejects(db.row(sql`select 9007199254740992::bigint as n`), RangeError)
})

test('what fails inside a transaction undoes all of it, and the connection is good afterwards', async (t) => {
  const { db } = await testCx(t)
  await assert.rejects(
    db.transaction(async (tx) => {
      await tx.run(sql`insert into setup_links (token_hash, expires_at) values ('a', now())`)
      throw new Error('no')
    }),
    /no/,
  )
  await assert.rejects(
    db.transaction((tx) => tx.run(sql`select 1 / 0`)),
    { code: '22012' },
  )
  assert.deepEqual(await db.rows(sql`select * from setup_links`), [])
})

test('a deadlock is resolved by trying one of the two again', async (t) => {
  const cx = await testCx(t)
  await cx.db.transaction((tx) =>
    tx.run(sql`insert into setup_links (token_hash, expires_at) values ('a', 'epoch'), ('b', 'epoch')`),
  )
  const later = (name: string) => sql`
    update setup_links set expires_at = expires_at + interval '1 day' where token_hash = ${Buffer.from(name)}`
  const both = Promise.withResolvers<void>()
  let holders = 0
  const tries = { ab: 0, ba: 0 }
  const cross = (from: string, to: string, name: 'ab' | 'ba') =>
    cx.db.transaction(async (tx) => {
      tries[name]++
      await tx.run(later(from))
      // Only when each holds its first row does either reach for the other's: from here they cannot but deadlock.
      if (++holders === 2) both.resolve()
      await both.promise
      await tx.run(later(to))
    })
  await Promise.all([cross('a', 'b', 'ab'), cross('b', 'a', 'ba')])

  assert.equal(tries.ab + tries.ba, 3, 'one of them was tried twice')
  const rows = await cx.db.rows<{ days: number }>(
    sql`select (extract(epoch from expires_at) / 86400)::integer as days from setup_links`,
  )
  assert.deepEqual(rows, [{ days: 2 }, { days: 2 }], 'each change was made once by each')
})

test('a conflict that never ends is given up after three tries', async (t) => {
  const { db } = await testCx(t)
  let tries = 0
  const doomed = db.transaction(async (tx) => {
    tries++
    await tx.run(sql`do $$ begin raise exception 'again' using errcode = '40001'; end $$`)
  })
  await assert.rejects(doomed, { code: '40001' })
  assert.equal(tries, 3)
})

test('an ordinary failure is not tried again', async (t) => {
  const { db } = await testCx(t)
  let tries = 0
  const failing = db.transaction(async (tx) => {
    tries++
    await tx.run(sql`select 1 / 0`)
  })
  await assert.rejects(failing, { code: '22012' })
  assert.equal(tries, 1)
})

test('a duplicate is told from any other complaint, by its constraint', async (t) => {
  const { db } = await testCx(t)
  const failure = (statement: ReturnType<typeof sql>) =>
    db.transaction((tx) => tx.run(statement)).catch((error) => error)
  const insert = sql`insert into setup_links (token_hash, expires_at) values ('a', now()), ('a', now())`
  const duplicate: unknown = await failure(insert)
  assert.equal(isDuplicate(duplicate, 'setup_links_pkey'), true)
  assert.equal(isDuplicate(duplicate, 'users_email'), false)
  assert.equal(isDuplicate(await failure(sql`select 1 / 0`), 'setup_links_pkey'), false)
  assert.equal(isDuplicate(new Error('no'), 'setup_links_pkey'), false)
})

test('a connection lost in the middle of a transaction fails that call alone, and the next one is served', async (t) => {
  const cx = await testCx(t)
  const cut = sql`
    select pg_terminate_backend(pid) from pg_stat_activity
     where datname = current_database() and application_name = 'longshore-test' and state = 'idle in transaction'`
  const lost = cx.db.transaction(async (tx) => {
    await tx.run(sql`insert into setup_links (token_hash, expires_at) values ('a', now())`)
    await cx.db.rows(cut)
    // Long enough that the news arrives while no statement is under way.
    await new Promise((resolve) => setTimeout(resolve, 50))
    await tx.run(sql`select 1`)
  })
  await assert.rejects(lost, { code: '57P01' })
  assert.deepEqual(await cx.db.rows(sql`select * from setup_links`), [])
  await cx.db.transaction((tx) => tx.run(sql`insert into setup_links (token_hash, expires_at) values ('b', now())`))
})

test('a statement that waits too long for a lock is ended by the database', async (t) => {
  const cx = await testCx(t)
  const hasty = openDb({
    url: cx.databaseUrl,
    maxConnections: 1,
    statementTimeoutMs: 100,
    applicationName: 'longshore-test',
    onIdleError: () => {},
  })
  try {
    await cx.db.transaction(async (tx) => {
      await tx.run(sql`lock table setup_links`)
      const waiting = assert.rejects(hasty.rows(sql`select * from setup_links`), { code: '57014' })
      await untilWaiting(cx)
      await waiting
    })
  } finally {
    await hasty.close()
  }
})

test('what is announced is told after the commit: hints once, payloads each; and nothing when it fails', async (t) => {
  const { databaseUrl } = await testCx(t)
  const told: [string, unknown][] = []
  const db = openDb({
    url: databaseUrl,
    maxConnections: 1,
    statementTimeoutMs: 5_000,
    applicationName: 'test',
    onIdleError: () => {},
    onCommitted: (topic, payload) => told.push([topic, payload]),
  })
  t.after(() => db.close())
  await db.transaction(async (tx) => {
    tx.announce('look')
    tx.announce('change', { n: 1 })
    tx.announce('look')
    tx.announce('change', { n: 2 })
    assert.deepEqual(told, [])
  })
  const expected = [
    ['look', undefined],
    ['change', { n: 1 }],
    ['change', { n: 2 }],
  ]
  assert.deepEqual(told, expected)
  await assert.rejects(
    db.transaction(async (tx) => {
      tx.announce('look')
      tx.announce('change', { n: 3 })
      await tx.run(sql`select 1 / 0`)
    }),
  )
  assert.deepEqual(told, expected)
})
