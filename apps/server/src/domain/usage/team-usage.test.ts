import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addUp } from '#domain/packages/add-up-counts'
import { finalizePackage } from '#domain/packages/finalize-package'
import { sql } from '#platform/db'
import { markDownload, markFinalized } from '#store/usage'
import { testCx } from '#test-kit/cx'
import { makePackage, makeTeam } from '#test-kit/make'
import { teamUsage } from './team-usage.ts'

const never = new AbortController().signal
const nothing = { sent_packages: 0, sent_bytes: 0, received_packages: 0, received_bytes: 0, downloads: 0 }

test('usage is the same before its marks are added up, and after', async (t) => {
  const cx = await testCx(t)
  const team = await makeTeam(cx)
  const other = await makeTeam(cx)
  await cx.db.transaction(async (tx) => {
    await markFinalized(tx, { team_id: team.id, portal_id: null, size: 7_000_000_000_000 })
    await markFinalized(tx, { team_id: team.id, portal_id: null, size: 5 })
    await markFinalized(tx, { team_id: team.id, portal_id: other.id, size: 11 })
    await markDownload(tx, team.id)
    await markDownload(tx, other.id)
  })
  const before = await teamUsage(cx, team.owner.caller, team.id, { days: 2 })
  const { day, ...today } = before.days[1] ?? { day: '' }
  assert.deepEqual(today, {
    sent_packages: 2,
    sent_bytes: 7_000_000_000_005,
    received_packages: 1,
    received_bytes: 11,
    downloads: 1,
  })
  assert.deepEqual({ ...before.days[0], day: '' }, { day: '', ...nothing })

  assert.equal(await addUp(cx, never), 5)
  assert.deepEqual(await teamUsage(cx, team.owner.caller, team.id, { days: 2 }), before)
  assert.equal(await addUp(cx, never), 0)
  await cx.db.transaction((tx) => markDownload(tx, team.id))
  await addUp(cx, never)
  const after = await teamUsage(cx, team.owner.caller, team.id, { days: 1 })
  assert.deepEqual(after.days, [{ day, ...today, downloads: 2 }])
})

test('a package counts once, in the transaction that finalizes it', async (t) => {
  const cx = await testCx(t)
  const pkg = await makePackage(cx, { files: [{ pieces: [Buffer.alloc(42)] }] })
  await finalizePackage(cx, pkg.manager, pkg.id)
  await finalizePackage(cx, pkg.manager, pkg.id)
  const marks = await cx.db.rows(sql`
    select sent_packages, sent_bytes, received_packages from usage_marks where team_id = ${pkg.teamId}
  `)
  assert.deepEqual(marks, [{ sent_packages: 1, sent_bytes: 42, received_packages: 0 }])
})

test('days without anything are there all the same, the oldest first', async (t) => {
  const cx = await testCx(t)
  const team = await makeTeam(cx)
  await cx.db.transaction((tx) =>
    tx.run(sql`insert into usage_days (team_id, day, downloads) values (${team.id}, current_date - 400, 9)`),
  )
  const { days } = await teamUsage(cx, team.owner.caller, team.id, {})
  assert.equal(days.length, 30)
  assert.deepEqual(
    days.map(({ day }) => day),
    days.map(({ day }) => day).toSorted((a, b) => a.localeCompare(b)),
  )
  assert.ok(days.every(({ downloads }) => downloads === 0))
})
