import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Tx } from '#platform/db'
import { sql } from '#platform/db'
import { testCx, type TestCx } from '#test-kit/cx'
import { race } from '#test-kit/race'
import { createOnce } from './idempotency.ts'

const once = { credential: 'key:1', key: 'abc', request: '["POST","/v1/things",{"name":"a"}]' }

/** A create call: leaves a row behind and answers a secret that nobody can guess. */
const create = (secret: string) => async (tx: Tx) => {
  await tx.run(sql`insert into setup_links (token_hash, expires_at) values (${Buffer.from(secret)}, now())`)
  return { secret }
}

const created = async (cx: TestCx) =>
  (await cx.db.rows<{ token_hash: Buffer }>(sql`select token_hash from setup_links order by 1`)).map((row) =>
    row.token_hash.toString(),
  )

const keys = (cx: TestCx) => cx.db.rows<Record<string, unknown>>(sql`select * from idempotency_keys`)

test('without a key every call creates', async (t) => {
  const cx = await testCx(t)
  await createOnce(cx, undefined, create('one'))
  await createOnce(cx, undefined, create('two'))
  assert.deepEqual(await created(cx), ['one', 'two'])
  assert.deepEqual(await keys(cx), [])
})

test('the same key and request answer the first reply again and create nothing', async (t) => {
  const cx = await testCx(t)
  assert.deepEqual(await createOnce(cx, once, create('first')), { secret: 'first' })
  assert.deepEqual(await createOnce(cx, once, create('second')), { secret: 'first' })
  assert.deepEqual(await created(cx), ['first'])
})

test('the same key with another request is refused and creates nothing', async (t) => {
  const cx = await testCx(t)
  await createOnce(cx, once, create('first'))
  const other = { ...once, request: '["POST","/v1/things",{"name":"b"}]' }
  await assert.rejects(createOnce(cx, other, create('second')), { code: 'idempotency_conflict' })
  assert.deepEqual(await created(cx), ['first'])
})

test('the same key of another credential is another key', async (t) => {
  const cx = await testCx(t)
  await createOnce(cx, once, create('first'))
  assert.deepEqual(await createOnce(cx, { ...once, credential: 'key:2' }, create('second')), { secret: 'second' })
})

test('a second call while the first is under way waits, and gets the first reply', async (t) => {
  const cx = await testCx(t)
  const { first, second } = await race(
    cx,
    (cx) => createOnce(cx, once, create('first')),
    (cx) => createOnce(cx, once, create('second')),
  )
  assert.deepEqual(await first, { secret: 'first' })
  assert.deepEqual(await second, { secret: 'first' })
  assert.deepEqual(await created(cx), ['first'])
})

test('a second call while one with another request is under way waits, and is refused', async (t) => {
  const cx = await testCx(t)
  const { first, second } = await race(
    cx,
    (cx) => createOnce(cx, once, create('first')),
    (cx) => createOnce(cx, { ...once, request: 'other' }, create('second')),
  )
  await first
  await assert.rejects(second, { code: 'idempotency_conflict' })
  assert.deepEqual(await created(cx), ['first'])
})

test('a first call that fails leaves its key free', async (t) => {
  const cx = await testCx(t)
  const failing = async (tx: Tx) => {
    await create('half')(tx)
    throw new Error('no')
  }
  await assert.rejects(createOnce(cx, once, failing), /no/)
  assert.deepEqual(await keys(cx), [])
  assert.deepEqual(await createOnce(cx, once, create('second')), { secret: 'second' })
  assert.deepEqual(await created(cx), ['second'])
})

test('a second call that waits for a first which fails becomes the first', async (t) => {
  const cx = await testCx(t)
  const { first, second } = await race(
    cx,
    // Fails behind the place where it is held, as a lost connection would.
    (cx) => createOnce(cx, once, create('first')),
    (cx) => createOnce(cx, once, create('second')),
    { failing: true },
  )
  await assert.rejects(first)
  assert.deepEqual(await second, { secret: 'second' })
  assert.deepEqual(await created(cx), ['second'])
})

test('the table holds no word of the reply or the request in clear', async (t) => {
  const cx = await testCx(t)
  await createOnce(cx, { ...once, request: 'a request with a password' }, create('lsk_very-secret'))
  const [row] = await keys(cx)
  const text = Object.values(row ?? {})
    .map((value) => (Buffer.isBuffer(value) ? value.toString('latin1') : String(value)))
    .join(' ')
  assert.ok(text.includes('key:1') && text.includes('abc'))
  for (const word of ['lsk_', 'very-secret', 'password', 'request with']) assert.ok(!text.includes(word), word)
})

test('a sealed reply that was moved to another key does not open there', async (t) => {
  const cx = await testCx(t)
  const thief = { ...once, credential: 'key:thief' }
  await createOnce(cx, once, create('first'))
  await createOnce(cx, thief, create('second'))
  await cx.db.transaction((tx) =>
    tx.run(sql`
      update idempotency_keys set reply_sealed = (select reply_sealed from idempotency_keys where credential = 'key:1')
    `),
  )
  await assert.rejects(createOnce(cx, thief, create('third')))
  assert.deepEqual(await createOnce(cx, once, create('third')), { secret: 'first' })
})

test('a key is free again after 24 hours, and not a minute before', async (t) => {
  const cx = await testCx(t)
  const age = (minutes: number) =>
    cx.db.transaction((tx) =>
      tx.run(sql`update idempotency_keys set created_at = now() - make_interval(mins => ${minutes}::integer)`),
    )
  await createOnce(cx, once, create('first'))
  await age(24 * 60 - 1)
  assert.deepEqual(await createOnce(cx, once, create('second')), { secret: 'first' })
  await age(24 * 60 + 1)
  assert.deepEqual(await createOnce(cx, once, create('second')), { secret: 'second' })
  assert.deepEqual(await createOnce(cx, once, create('third')), { secret: 'second' })
})
