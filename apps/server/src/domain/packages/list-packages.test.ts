import assert from 'node:assert/strict'
import { test } from 'node:test'
import { packageSorts } from '@longshore/contract/cloud/packages'
import { newId } from '@longshore/kit/ids'
import fc from 'fast-check'
import { identifyByPackageToken } from '#domain/access/identify'
import { createSpace } from '#domain/spaces/spaces'
import { createTag, deleteTag } from '#domain/tags/tags'
import { updateTeamSettings } from '#domain/teams/settings'
import { sql } from '#platform/db'
import { wrongCounts } from '#store/package-counts'
import { testCx, type TestCx } from '#test-kit/cx'
import { modelList, type ModelTeam } from '#test-kit/list-model'
import { type MadeMember, type MadeTeam, makeMember, makePackage, makeTeam } from '#test-kit/make'
import { makePortal, makePortalPackage } from '#test-kit/make-portals'
import { factsOfTeam, insertManyPackages, type PackageFacts } from '#test-kit/many-packages'
import { addUp } from './add-up-counts.ts'
import { deletePackage } from './delete-package.ts'
import { expireDuePackages } from './expire-packages.ts'
import { listInbox, listPortalPackages, listTeamPackages, type PackageListQuery } from './list-packages.ts'
import { readTeamPackage } from './read-package.ts'
import { setPackageExpiry } from './set-package-expiry.ts'
import { updatePackage } from './update-package.ts'

const signal = new AbortController().signal
const hour = 3_600_000
const day = 24 * hour
// No second of the clock may pass between what a list calls due and what the model does.
const now = Math.floor(Date.now() / hour) * hour
const at = (hours: number): Date => new Date(now + hours * hour)

interface Ground {
  readonly cx: TestCx
  readonly team: MadeTeam
  readonly member: MadeMember
  readonly tags: readonly string[]
  readonly spaces: readonly string[]
  readonly portals: readonly string[]
  readonly forOwner: ModelTeam
  readonly forMember: ModelTeam
}

/** A Team with tags (the last one deleted), Teamspaces (the member is in the first) and Portals (the last one hidden). */
async function makeGround(cx: TestCx): Promise<Ground> {
  const team = await makeTeam(cx)
  const { caller } = team.owner
  const member = await makeMember(cx, team.id, 'member')
  const tags: string[] = []
  for (const name of ['red', 'green', 'gone']) tags.push((await createTag(cx, caller, team.id, { name })).id)
  await deleteTag(cx, caller, tags[2] ?? '')
  const spaces: string[] = []
  for (const membership_ids of [[member.membershipId], []]) {
    spaces.push((await createSpace(cx, caller, team.id, { name: 'A Space', membership_ids })).id)
  }
  const secret = { access_level: 'private', access_code: 'sesame' } as const
  const portals = [
    await makePortal(cx, { team, teamspace_id: spaces[1] ?? '' }),
    await makePortal(cx, { team, ...secret, access_list: [member.membershipId] }),
    await makePortal(cx, { team, ...secret }),
  ].map(({ id }) => id)
  const forOwner = { defaultDays: 10, deletedTags: tags.slice(2) }
  const sight = { spaces: spaces.slice(0, 1), portals: portals.slice(0, 2) }
  return { cx, team, member, tags, spaces, portals, forOwner, forMember: { ...forOwner, sight } }
}

/** Holds a list against the model, for the Owner and for a plain member. */
async function compare(
  ground: Ground,
  received: boolean,
  query: PackageListQuery & { portal?: string },
): Promise<void> {
  const { cx, team, member } = ground
  const all = await factsOfTeam(cx.db, team.id)
  const list = received ? listInbox : listTeamPackages
  for (const [who, model] of [
    [team.owner, ground.forOwner],
    [member, ground.forMember],
  ] as const) {
    const { metadata, records } = await list(cx, who.caller, team.id, query)
    const said = { total: metadata.total, ids: records.map(({ id }) => id) }
    assert.deepEqual(said, modelList(all, received, query, model), JSON.stringify({ received, query }))
  }
}

const names = ['Alpha 100%', 'alpha_1', 'ALPHA\\2', 'Über der Straße', 'über', 'beta', 'Beta', 'a', 'Zed']
const senders = ['ann@example.test', 'Ann@Example.test', 'bob@example.test']
// Some on the edges of days and months, and ends on and a moment beyond the Team's ten days.
const births = [-1000 * 24, -75 * 24 - 5, -60 * 24, -40 * 24 - 0.001, -40 * 24, -11 * 24, -10 * 24, -30, -3]
const lives = [-3 * day, 0, 2 * hour, 10 * day, 10 * day + 1, 40 * day, 9_000 * day, undefined]

const pick = <Item>(items: readonly Item[]) => fc.constantFrom(...items)

const facts = ({ tags, spaces, portals }: Ground): fc.Arbitrary<Omit<PackageFacts, 'id'>> =>
  fc
    .record({
      portal_id: pick([null, null, ...portals]),
      teamspace_id: pick([null, ...spaces]),
      tag_id: pick([null, ...tags]),
      name: pick(names),
      state: pick(['new', 'finalized', 'finalized', 'expired', 'archived'] as const),
      sender: pick(senders),
      born: pick(births),
      filled: pick([null, 0, hour, 3 * day]),
      life: pick(lives),
      size: pick([0, 1, 500]),
      downloaded_bytes: pick([0, 1, 499]),
    })
    .map(({ born, filled, life, ...rest }) => ({
      ...rest,
      created_at: at(born),
      finalized_at: filled === null ? null : new Date(at(born).getTime() + filled),
      expiry: life === undefined ? null : new Date(at(born).getTime() + life),
    }))

const moments = [...births, ...births.map((hours) => hours + 24), -12, 1].map((hours) => at(hours).toISOString())

const queries = ({ tags, spaces, portals }: Ground): fc.Arbitrary<PackageListQuery & { portal?: string }> =>
  fc.record(
    {
      page: pick([1, 1, 2, 3, 9]),
      limit: pick([1, 3, 7, 50]),
      sort: fc.tuple(pick(['', '-']), pick(packageSorts)).map(([sign, word]) => sign + word),
      status: fc.subarray(['new', 'finalized', 'expired', 'archived'] as const).map((states) => [...states]),
      name: pick(['alpha', 'ALPHA', '%', '_', '\\', 'ü', 'a', 'eta', 'straße', 'nothing']),
      sender: pick([...senders, 'nobody@example.test']),
      tags: fc.subarray([...tags, newId()]),
      teamspaces: fc.subarray([...spaces]),
      created_at_start: pick(moments),
      created_at_end: pick(moments),
      finalized_at_start: pick(moments),
      finalized_at_end: pick(moments),
      expiry_start: pick(moments),
      expiry_end: pick(moments),
      extra_storage: fc.boolean(),
      portal: pick(portals),
    },
    // Mostly one or two at once; all of them would leave nothing to compare.
    { requiredKeys: [] },
  )

type Change = (ground: Ground) => Promise<unknown>

const onAll =
  (statement: (teamId: string) => ReturnType<typeof sql>): Change =>
  ({ cx, team }) =>
    cx.db.transaction((tx) => tx.run(statement(team.id)))

/** What may happen to packages in between, by our calls and by hand. */
const changes = (ground: Ground): fc.Arbitrary<Change> =>
  fc.oneof(
    fc.array(facts(ground), { minLength: 1, maxLength: 30 }).map(
      (given): Change =>
        ({ cx, team }) =>
          cx.db.transaction((tx) => insertManyPackages(tx, team.id, given)),
    ),
    pick<Change>([
      ({ cx }) => addUp(cx, signal),
      ({ cx }) => expireDuePackages(cx, signal),
      onAll(
        (id) => sql`update packages set state = 'archived' where team_id = ${id} and state = 'expired' and size = 1`,
      ),
      onAll((id) => sql`update packages set state = 'expired' where team_id = ${id} and state = 'archived'`),
      onAll((id) => sql`update packages set tag_id = null where team_id = ${id} and size = 500`),
      onAll((id) => sql`update packages set active_at = now(), downloads = downloads + 1 where team_id = ${id}`),
      onAll((id) => sql`delete from packages where team_id = ${id} and name = 'Zed'`),
      ({ cx, team, spaces }) =>
        cx.db.transaction((tx) =>
          tx.run(sql`update packages set teamspace_id = ${spaces[0]} where team_id = ${team.id} and size = 0`),
        ),
      async ({ cx, team }) => {
        const pkg = await makePackage(cx, { team, name: 'Alpha by a call', tag: { name: 'green' } })
        await updatePackage(cx, pkg.manager, pkg.id, { name: 'beta by a call' })
        await setPackageExpiry(cx, pkg.manager, pkg.id, { unlimited_storage: true })
      },
      async ({ cx, team }) => {
        const pkg = await makePackage(cx, { team, name: 'Zed by a call' })
        await deletePackage(cx, pkg.manager, pkg.id)
      },
    ]),
  )

test('whatever happens to packages, every list and total is what the packages themselves add up to', async (t) => {
  const cx = await testCx(t)
  const runs = { numRuns: 20 }
  for (let turn = 0; turn < 3; turn++) {
    const ground = await makeGround(cx)
    const story = fc.tuple(
      fc.array(changes(ground), { minLength: 1, maxLength: 4 }),
      fc.array(fc.tuple(fc.boolean(), queries(ground)), { minLength: 3, maxLength: 6 }),
    )
    await fc.assert(
      fc.asyncProperty(story, async ([happening, asking]) => {
        for (const change of happening) await change(ground)
        for (const [received, { portal, ...query }] of asking) {
          await compare(ground, received, received && portal !== undefined ? { ...query, portal } : query)
        }
        assert.deepEqual(await wrongCounts(cx.db, ground.team.id), [])
      }),
      runs,
    )
  }
})

test('every sort both ways, every filter and every pair of filters, with ties and on the edges', async (t) => {
  const cx = await testCx(t)
  const ground = await makeGround(cx)
  const given = fc.sample(facts(ground), { numRuns: 300, seed: 7 })
  await cx.db.transaction((tx) => insertManyPackages(tx, ground.team.id, given))
  await addUp(cx, signal)
  for (const sort of packageSorts.flatMap((word) => [word, `-${word}`])) {
    for (const page of [1, 2, 4]) await compare(ground, false, { sort, page, limit: 20 })
    await compare(ground, true, { sort, status: ['expired'] })
    await compare(ground, true, { sort, status: ['finalized'] })
  }
  const filters: readonly PackageListQuery[] = [
    { status: ['finalized'] },
    { status: ['expired', 'archived'] },
    { name: 'ALPHA' },
    { name: '_' },
    { sender: 'ANN@example.test' },
    { tags: ground.tags.slice(0, 2) },
    { tags: ground.tags.slice(2) },
    { teamspaces: ground.spaces.slice(0, 1) },
    { created_at_start: at(-60 * 24).toISOString(), created_at_end: at(-10 * 24).toISOString() },
    { created_at_end: at(-40 * 24 - 1).toISOString() },
    { finalized_at_start: at(-40 * 24).toISOString(), finalized_at_end: at(-11 * 24).toISOString() },
    { expiry_start: at(-50 * 24).toISOString(), expiry_end: at(5).toISOString() },
    { extra_storage: true },
    { extra_storage: false },
  ]
  for (const [index, one] of filters.entries()) {
    for (const other of filters.slice(index)) {
      await compare(ground, false, { ...one, ...other })
      await compare(ground, true, { ...one, ...other, sort: 'name' })
    }
  }
})

test('pages follow each other without a gap and without a repeat, ties or not', async (t) => {
  const cx = await testCx(t)
  const ground = await makeGround(cx)
  const given = fc.sample(facts(ground), { numRuns: 120, seed: 3 }).map((pkg) => ({ ...pkg, portal_id: null }))
  await cx.db.transaction((tx) => insertManyPackages(tx, ground.team.id, given))
  const { caller } = ground.team.owner
  const status = ['new', 'finalized', 'expired', 'archived'] as const
  for (const sort of packageSorts) {
    const ids: string[] = []
    for (let page = 1; page <= 18; page++) {
      const { records } = await listTeamPackages(cx, caller, ground.team.id, { sort, status, page, limit: 7 })
      ids.push(...records.map(({ id }) => id))
    }
    assert.equal(new Set(ids).size, 120, sort)
    assert.equal(ids.length, 120, sort)
  }
})

test('a package past its expiry is listed as expired before the worker has come by', async (t) => {
  const cx = await testCx(t)
  const { team } = await makePackages(cx, [{ state: 'finalized', expiry: new Date(Date.now() - 1_000) }])
  const total = async (status: 'finalized' | 'expired') =>
    (await listTeamPackages(cx, team.owner.caller, team.id, { status: [status] })).metadata.total
  const list = await listTeamPackages(cx, team.owner.caller, team.id, {})
  assert.deepEqual(
    list.records.map(({ state }) => state),
    ['expired'],
  )
  assert.deepEqual([await total('finalized'), await total('expired')], [0, 1])
  await expireDuePackages(cx, signal)
  assert.deepEqual([await total('finalized'), await total('expired')], [0, 1])
})

test('extra storage is what is kept longer than the Team keeps packages now', async (t) => {
  const cx = await testCx(t)
  const born = at(-24)
  const { team } = await makePackages(cx, [
    { name: 'ten days', created_at: born, expiry: new Date(born.getTime() + 10 * day) },
    { name: 'a moment more', created_at: born, expiry: new Date(born.getTime() + 10 * day + 1) },
    { name: 'without end', created_at: born, expiry: null },
  ])
  const { caller } = team.owner
  const listed = async (extra_storage: boolean) =>
    (await listTeamPackages(cx, caller, team.id, { extra_storage, sort: 'name' })).records.map(({ name }) => name)
  assert.deepEqual(await listed(true), ['a moment more', 'without end'])
  assert.deepEqual(await listed(false), ['ten days'])
  await updateTeamSettings(cx, caller, team.id, { custom_expiry_default: 30 })
  assert.deepEqual(await listed(true), ['without end'])
})

async function makePackages(cx: TestCx, wishes: readonly Partial<PackageFacts>[]) {
  const team = await makeTeam(cx)
  const usual = {
    portal_id: null,
    teamspace_id: null,
    tag_id: null,
    name: 'Rushes',
    state: 'finalized' as const,
    sender: 'ann@example.test',
    created_at: at(-1),
    finalized_at: at(-1),
    expiry: at(240),
    size: 1,
    downloaded_bytes: 0,
  }
  await cx.db.transaction((tx) =>
    insertManyPackages(
      tx,
      team.id,
      wishes.map((wish) => ({ ...usual, ...wish })),
    ),
  )
  return { team }
}

test('a token in a list manages its package, and belongs to who listed it', async (t) => {
  const cx = await testCx(t)
  const team = await makeTeam(cx)
  const member = await makeMember(cx, team.id, 'member')
  await makePackage(cx, { team, finalized: true, files: [{}], password: 'sesame', recipients: ['ann@example.test'] })
  const { records } = await listTeamPackages(cx, member.caller, team.id, {})
  const token = await identifyByPackageToken(cx, records[0]?.access_token ?? '')
  assert.deepEqual([token.level, token.userId, token.packageId], ['manage', member.userId, records[0]?.id])
  assert.deepEqual([records[0]?.password, records[0]?.recipients], ['sesame', ['ann@example.test']])
})

test("a Portal's list is for those who see the Portal, a package for those who see it", async (t) => {
  const cx = await testCx(t)
  const ground = await makeGround(cx)
  const { team, member, portals, spaces } = ground
  const stranger = (await makeTeam(cx)).owner.caller
  const hidden = await makePortal(cx, { team, access_level: 'private', access_code: 'sesame' })
  const received = await makePortalPackage(cx, hidden)
  await cx.db.transaction((tx) =>
    insertManyPackages(
      tx,
      team.id,
      fc.sample(facts(ground), { numRuns: 30, seed: 1 }).map((pkg) => ({ ...pkg, portal_id: portals[0] ?? null })),
    ),
  )
  const [own] = portals
  const { metadata } = await listPortalPackages(cx, member.caller, own ?? '', {})
  assert.ok(metadata.total > 0)
  await assert.rejects(listPortalPackages(cx, member.caller, hidden.id, {}), { code: 'portal_not_found' })
  await assert.rejects(listPortalPackages(cx, stranger, own ?? '', {}), { code: 'portal_not_found' })
  await assert.rejects(listTeamPackages(cx, stranger, team.id, {}), { code: 'team_not_found' })

  assert.equal((await readTeamPackage(cx, team.owner.caller, team.id, received.id)).id, received.id)
  const unseen = { code: 'package_not_found' }
  await assert.rejects(readTeamPackage(cx, member.caller, team.id, received.id), unseen)
  await assert.rejects(readTeamPackage(cx, stranger, team.id, received.id), { code: 'team_not_found' })
  const spaced = await makePackage(cx, { team })
  await cx.db.transaction((tx) => tx.run(sql`update packages set teamspace_id = ${spaces[1]} where id = ${spaced.id}`))
  await assert.rejects(readTeamPackage(cx, member.caller, team.id, spaced.id), unseen)
  await cx.db.transaction((tx) => tx.run(sql`update packages set teamspace_id = ${spaces[0]} where id = ${spaced.id}`))
  assert.equal((await readTeamPackage(cx, member.caller, team.id, spaced.id)).id, spaced.id)
})
