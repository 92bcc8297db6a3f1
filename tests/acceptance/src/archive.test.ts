import assert from 'node:assert/strict'
import { addFile, fileUrl, listFiles } from '@longshore/contract/cloud/files'
import { lookUpLink } from '@longshore/contract/cloud/links'
import {
  archivePackage,
  archiveReceived,
  archiveSent,
  deletePackage,
  readPackage,
  setPackageExpiry,
  unarchivePackage,
  unarchiveReceived,
  unarchiveSent,
  updatePackage,
} from '@longshore/contract/cloud/packages'
import { refused, show, use } from '#calls'
import { makeMember, makeTeam, sql } from '#members'
import { packageToken } from '#mint'
import { makePortal, sendTo } from '#portals'
import { test } from '#record'
import { makeEnded, makeSceneApart } from '#scene'
import { inFile, inPackage, makePackage, makeSent, managing, newFile, type Package, someName } from '#walk'

const stateOf = async (pkg: Package) => (await use(readPackage, { params: inPackage(pkg) }, managing(pkg))).state

/** Lets the time of a package be over; the worker may or may not have come by. */
const letExpire = (pkg: Package) =>
  sql(`update packages set expiry = now() - interval '1 second' where id = '${pkg.id}'`)

test('an expired package is archived and taken out again; repeats change nothing', async () => {
  const pkg = await makeEnded()
  for (const [call, state] of [
    [archivePackage, 'archived'],
    [archivePackage, 'archived'],
    [unarchivePackage, 'expired'],
    [unarchivePackage, 'expired'],
  ] as const) {
    await show(call, { params: inPackage(pkg) }, managing(pkg))
    assert.equal(await stateOf(pkg), state)
  }
})

test('a package that has not ended is not archived', async () => {
  const open = await makePackage()
  const { pkg: sent } = await makeSent()
  for (const pkg of [open, sent]) {
    await refused(archivePackage, { params: inPackage(pkg) }, managing(pkg), 'package_not_expired')
    await refused(unarchivePackage, { params: inPackage(pkg) }, managing(pkg), 'package_not_expired')
  }
  assert.deepEqual([await stateOf(open), await stateOf(sent)], ['new', 'finalized'])
})

test('a package whose time is over can be archived at once, and gives nothing from then on', async () => {
  const { pkg, added, link, readToken } = await makeSent()
  await letExpire(pkg)
  await show(archivePackage, { params: inPackage(pkg) }, managing(pkg))
  assert.equal(await stateOf(pkg), 'archived')
  const reading = { as: { packageToken: readToken } }
  await refused(fileUrl, { params: inFile(added), query: {} }, reading, 'package_expired')
  await refused(listFiles, { params: inPackage(pkg) }, reading, 'package_expired')
  const lookUp = { params: { link_id: link.id }, query: { secret: link.secret } }
  await refused(lookUpLink, lookUp, {}, 'package_expired')
  await refused(updatePackage, { params: inPackage(pkg), body: { name: 'x' } }, managing(pkg), 'package_expired')
  const later = { expiry: new Date(Date.now() + 86_400_000).toISOString() }
  await refused(setPackageExpiry, { params: inPackage(pkg), body: later }, managing(pkg), 'package_expired')
  await refused(addFile, { params: inPackage(pkg), body: newFile({ size: 1 }) }, managing(pkg), 'package_expired')
  await use(deletePackage, { params: inPackage(pkg) }, managing(pkg))
  assert.equal(await stateOf(pkg), 'archived', 'deleting what has ended changes nothing')
})

test('what the package was is still told after its end: name, recipients, sender, dates, size, number of files', async () => {
  const { pkg } = await makeSent({ recipients: ['somebody@example.test'], description: 'Reel 4' })
  const before = await use(readPackage, { params: inPackage(pkg) }, managing(pkg))
  await use(deletePackage, { params: inPackage(pkg) }, managing(pkg))
  await use(archivePackage, { params: inPackage(pkg) }, managing(pkg))
  const after = await use(readPackage, { params: inPackage(pkg) }, managing(pkg))
  const kept = ({ id, name, description, recipients, sender, created_at, size, total_files }: typeof after) => ({
    id,
    name,
    description,
    recipients,
    sender,
    created_at,
    size,
    total_files,
  })
  assert.deepEqual(kept(after), kept(before))
  assert.deepEqual([after.size, after.total_files, after.state], [5, 1, 'archived'])
})

const endOf = async (pkg: Package) => {
  await use(deletePackage, { params: inPackage(pkg) }, managing(pkg))
  return (await use(readPackage, { params: inPackage(pkg) }, managing(pkg))).expiry
}

test('bulk: bounds are inclusive, sent and received are apart, totals count what changed', async () => {
  const teamId = await makeTeam(someName('Archive'))
  const owner = await makeMember('owner', teamId)
  const as = { userToken: owner.token }
  const portal = await makePortal({}, { as }, teamId)
  const sent = [await makePackage({}, as, teamId), await makePackage({}, as, teamId), await makePackage({}, as, teamId)]
  const portalPackage = await sendTo(portal)
  const received = { ...portalPackage, access_token: packageToken(portalPackage, 'manage') }
  const ends: string[] = []
  for (const pkg of sent) ends.push(await endOf(pkg))
  await endOf(received)
  const states = () => Promise.all([...sent, received].map(stateOf))
  const params = { team_id: teamId }
  const firstTwo = { params, body: { expiry_start: ends[0] ?? '', expiry_end: ends[1] ?? '' } }
  const all = { params, body: { expiry_start: ends[0] ?? '', expiry_end: '2100-01-01T00:00:00.000Z' } }

  assert.deepEqual(await show(archiveSent, firstTwo, { as }), { total_updated: 2 })
  assert.deepEqual(await states(), ['archived', 'archived', 'expired', 'expired'])
  assert.deepEqual(await show(archiveSent, all, { as }), { total_updated: 1 })
  assert.deepEqual(await show(archiveReceived, all, { as }), { total_updated: 1 })
  assert.deepEqual(await states(), ['archived', 'archived', 'archived', 'archived'])
  assert.deepEqual(await show(archiveReceived, all, { as }), { total_updated: 0 })
  assert.deepEqual(await show(unarchiveReceived, all, { as }), { total_updated: 1 })
  assert.deepEqual(await show(unarchiveSent, firstTwo, { as }), { total_updated: 2 })
  assert.deepEqual(await states(), ['expired', 'expired', 'archived', 'expired'])
})

test('bulk: a span that ends before it begins, or is no span, is refused', async () => {
  const teamId = await makeTeam(someName('Archive'))
  const owner = await makeMember('owner', teamId)
  for (const call of [archiveSent, unarchiveSent, archiveReceived, unarchiveReceived]) {
    for (const body of [
      { expiry_start: '2026-01-02T00:00:00.001Z', expiry_end: '2026-01-02T00:00:00.000Z' },
      { expiry_start: '2026-01-02T00:00:00', expiry_end: '2026-01-03T00:00:00.000Z' },
      { expiry_start: '2026-01-02T00:00:00.000Z' },
      {},
    ]) {
      const how = { as: { userToken: owner.token } }
      await refused(call, { params: { team_id: teamId }, body }, how, 'validation_failed')
    }
  }
})

test("19: bulk archive with another Team's id is not found, and says nothing of what is there", async () => {
  const [mine, theirs] = [await makeSceneApart(), await makeSceneApart()]
  const pkg = await makePackage({}, { userToken: theirs.owner.token }, theirs.teamId)
  await endOf(pkg)
  const body = { expiry_start: '2000-01-01T00:00:00.000Z', expiry_end: '2100-01-01T00:00:00.000Z' }
  const input = { params: { team_id: theirs.teamId }, body }
  for (const call of [archiveSent, unarchiveSent, archiveReceived, unarchiveReceived]) {
    const { answer } = await refused(call, input, { as: { userToken: mine.owner.token } }, 'team_not_found')
    assert.doesNotMatch(answer.text, /total_updated/)
  }
  assert.equal(await stateOf(pkg), 'expired')
})
