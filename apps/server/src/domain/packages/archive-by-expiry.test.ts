import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newId } from '@longshore/kit/ids'
import { sql } from '#platform/db'
import { type TestCx, testCx } from '#test-kit/cx'
import { eventsOf, queuedJobs } from '#test-kit/look'
import { letExpire, type MadeTeam, makeMember, makePackage, makeTeam } from '#test-kit/make'
import { untilWaiting } from '#test-kit/race'
import { archiveByExpiry, unarchiveByExpiry } from './archive-by-expiry.ts'
import { deletePackage } from './delete-package.ts'
import { giveUpAbandonedPackages } from './expire-packages.ts'

const day = (number: number) => new Date(Date.UTC(2026, 0, number))
const span = (from: number, to: number) => ({
  expiry_start: day(from).toISOString(),
  expiry_end: day(to).toISOString(),
})
const always = { expiry_start: '0001-01-01T00:00:00.000Z', expiry_end: '9999-12-31T23:59:59.999Z' }

interface Wish {
  readonly state?: 'new' | 'finalized' | 'expired' | 'archived'
  readonly expiry: Date
  readonly received?: boolean
}

/** Packages as they are after their end, without the way there. Answers their ids. */
async function insertEnded(cx: TestCx, team: MadeTeam, wishes: readonly Wish[]): Promise<string[]> {
  const ids = wishes.map(() => newId())
  await cx.db.transaction((tx) =>
    tx.run(sql`
      insert into packages (team_id, id, name, description, sender, recipients, storage_location, state, expiry, portal_id)
      select ${team.id}, id, 'n', '', 's', '{}', 'x', state, expiry, case when received then gen_random_uuid() end
        from unnest(${ids}::uuid[], ${wishes.map(({ state = 'expired' }) => state)}::text[],
                    ${wishes.map(({ expiry }) => expiry)}::timestamptz[],
                    ${wishes.map(({ received = false }) => received)}::boolean[]) as w (id, state, expiry, received)
    `),
  )
  return ids
}

const statesOf = async (cx: TestCx, ids: readonly string[]): Promise<(string | undefined)[]> => {
  const rows = await cx.db.rows<{ id: string; state: string }>(
    sql`select id, state from packages where id = any(${ids}::uuid[])`,
  )
  const states = new Map(rows.map(({ id, state }) => [id, state]))
  return ids.map((id) => states.get(id))
}

test('bounds are inclusive to the millisecond, and only ended packages in them move', async (t) => {
  const cx = await testCx(t)
  const team = await makeTeam(cx)
  const ids = await insertEnded(cx, team, [
    { expiry: new Date(day(2).getTime() - 1) },
    { expiry: day(2) },
    { expiry: day(3) },
    { expiry: day(4) },
    { expiry: new Date(day(4).getTime() + 1) },
    { expiry: day(3), received: true },
    { expiry: day(3), state: 'new' },
  ])
  const archived = (inSpan: string) => ['expired', inSpan, inSpan, inSpan, 'expired', 'expired', 'new']
  for (const [move, updated, state] of [
    [archiveByExpiry, 3, 'archived'],
    [archiveByExpiry, 0, 'archived'],
    [unarchiveByExpiry, 3, 'expired'],
    [unarchiveByExpiry, 0, 'expired'],
  ] as const) {
    assert.deepEqual(await move(cx, team.owner.caller, team.id, 'sent', span(2, 4)), { total_updated: updated })
    assert.deepEqual(await statesOf(cx, ids), archived(state))
  }
})

test('what was received moves apart from what was sent, and another Team stays as it is', async (t) => {
  const cx = await testCx(t)
  const [team, other] = [await makeTeam(cx), await makeTeam(cx)]
  const ids = await insertEnded(cx, team, [{ expiry: day(2) }, { expiry: day(2), received: true }])
  const theirs = await insertEnded(cx, other, [{ expiry: day(2) }, { expiry: day(2), received: true }])
  assert.deepEqual(await archiveByExpiry(cx, team.owner.caller, team.id, 'received', always), { total_updated: 1 })
  assert.deepEqual(await statesOf(cx, ids), ['expired', 'archived'])
  assert.deepEqual(await archiveByExpiry(cx, team.owner.caller, team.id, 'sent', always), { total_updated: 1 })
  assert.deepEqual(await unarchiveByExpiry(cx, team.owner.caller, team.id, 'received', always), { total_updated: 1 })
  assert.deepEqual(await statesOf(cx, ids), ['archived', 'expired'])
  assert.deepEqual(await statesOf(cx, theirs), ['expired', 'expired'])
})

test('packages whose time is over without the worker having come by are ended and archived', async (t) => {
  const cx = await testCx(t)
  const team = await makeTeam(cx)
  const due = await makePackage(cx, { team, files: [{}], finalized: true })
  const later = await makePackage(cx, { team, files: [{}], finalized: true })
  const endless = await makePackage(cx, { team, files: [{}], finalized: true, unlimited_storage: true })
  await letExpire(cx, due, 0)
  assert.deepEqual(await unarchiveByExpiry(cx, team.owner.caller, team.id, 'sent', always), { total_updated: 0 })
  assert.deepEqual(await archiveByExpiry(cx, team.owner.caller, team.id, 'sent', always), { total_updated: 1 })
  assert.deepEqual(await statesOf(cx, [due.id, later.id, endless.id]), ['archived', 'finalized', 'finalized'])
  assert.equal((await eventsOf(cx, due.id)).filter(({ type }) => type === 'package.expired').length, 1)
  assert.deepEqual(
    (await queuedJobs(cx)).map(({ payload }) => (payload as { packageId: string }).packageId),
    [due.id, due.id],
  )
})

test('a package that was to be kept without end is in the span of its real end', async (t) => {
  const cx = await testCx(t)
  const team = await makeTeam(cx)
  const [deleted, abandoned] = [
    await makePackage(cx, { team, unlimited_storage: true }),
    await makePackage(cx, { team, unlimited_storage: true }),
  ]
  await deletePackage(cx, deleted.manager, deleted.id)
  await cx.db.transaction((tx) =>
    tx.run(sql`update packages set active_at = now() - interval '8 days' where id = ${abandoned.id}`),
  )
  assert.equal(await giveUpAbandonedPackages(cx, new AbortController().signal), 1)
  const lastMinute = {
    expiry_start: new Date(Date.now() - 60_000).toISOString(),
    expiry_end: new Date(Date.now() + 60_000).toISOString(),
  }
  assert.deepEqual(await archiveByExpiry(cx, team.owner.caller, team.id, 'sent', lastMinute), { total_updated: 2 })
  assert.deepEqual(await statesOf(cx, [deleted.id, abandoned.id]), ['archived', 'archived'])
})

test('many batches add up', async (t) => {
  const cx = await testCx(t)
  const team = await makeTeam(cx)
  const count = 2_345
  // Many of one instant: the walk must not lose those that share it.
  await insertEnded(
    cx,
    team,
    Array.from({ length: count }, (_, index) => ({ expiry: day(1 + (index % 3)) })),
  )
  assert.deepEqual(await archiveByExpiry(cx, team.owner.caller, team.id, 'sent', always), { total_updated: count })
  assert.deepEqual(await archiveByExpiry(cx, team.owner.caller, team.id, 'sent', always), { total_updated: 0 })
})

test('two calls at once share the work: together they moved each package once', async (t) => {
  const cx = await testCx(t)
  const team = await makeTeam(cx)
  const count = 1_500
  await insertEnded(
    cx,
    team,
    Array.from({ length: count }, (_, index) => ({ expiry: new Date(day(1).getTime() + index) })),
  )
  const totals = await Promise.all([1, 2, 3].map(() => archiveByExpiry(cx, team.owner.caller, team.id, 'sent', always)))
  assert.equal(
    totals.reduce((sum, { total_updated }) => sum + total_updated, 0),
    count,
  )
})

test('a package that somebody holds holds up nobody else, and is moved once it is free', async (t) => {
  const cx = await testCx(t)
  const team = await makeTeam(cx)
  const ids = await insertEnded(
    cx,
    team,
    Array.from({ length: 50 }, (_, index) => ({ expiry: new Date(day(1).getTime() + index) })),
  )
  const { call } = await cx.db.transaction(async (holder) => {
    await holder.run(sql`select 1 from packages where id = ${ids[10]} for update`)
    const call = archiveByExpiry(cx, team.owner.caller, team.id, 'sent', always)
    await untilWaiting(cx)
    const states = await statesOf(cx, ids)
    assert.equal(states.filter((state) => state === 'archived').length, 49)
    assert.equal(states[10], 'expired')
    return { call }
  })
  assert.deepEqual(await call, { total_updated: 50 })
})

test('bulk is for Owners and Admins, and a span has a beginning before its end', async (t) => {
  const cx = await testCx(t)
  const [team, other] = [await makeTeam(cx), await makeTeam(cx)]
  const ids = await insertEnded(cx, team, [{ expiry: day(2) }])
  for (const move of [archiveByExpiry, unarchiveByExpiry]) {
    for (const role of ['integration_manager', 'member'] as const) {
      const { caller } = await makeMember(cx, team.id, role)
      await assert.rejects(move(cx, caller, team.id, 'sent', always), { code: 'insufficient_role' })
    }
    await assert.rejects(move(cx, other.owner.caller, team.id, 'sent', always), { code: 'team_not_found' })
    await assert.rejects(move(cx, team.owner.caller, team.id, 'sent', span(3, 2)), { code: 'validation_failed' })
    await assert.rejects(
      move(cx, team.owner.caller, team.id, 'sent', { ...always, expiry_start: '1700-01-01T00:00:00Z' }),
      {
        code: 'validation_failed',
      },
    )
  }
  assert.deepEqual(await statesOf(cx, ids), ['expired'])
  const admin = await makeMember(cx, team.id, 'admin')
  assert.deepEqual(await archiveByExpiry(cx, admin.caller, team.id, 'sent', span(2, 2)), { total_updated: 1 })
})
