import assert from 'node:assert/strict'
import { after, before, test, type TestContext } from 'node:test'
import { packageSorts } from '@longshore/contract/cloud/packages'
import { type Reads, type Sql, sql } from '#platform/db'
import { testCx, type TestCx } from '#test-kit/cx'
import { stateNow } from '#test-kit/list-model'
import { factsOfTeam, insertManyPackages, type PackageFacts } from '#test-kit/many-packages'
import type { PackageFilter } from './package-filter.ts'
import { type PackageOrder, pageOfPackages, packagesAfter } from './package-pages.ts'
import { totalsOf } from './package-totals.ts'
import { foldDeltas } from './package-counts.ts'

// Fixed, so that every run has the same rows in the same partition, and the planner the same statistics.
const id = (kind: number, index = 0) => `0190000${kind}-0000-7000-8000-${String(index).padStart(12, '0')}`
const teamId = id(1)
const count = 20_000
const newest = Date.UTC(2026, 5, 1)

const some = (index: number): Omit<PackageFacts, 'id'> => ({
  portal_id: index % 10 === 3 ? id(2, index % 7) : null,
  teamspace_id: index % 2 === 0 ? id(3, index % 6) : null,
  tag_id: index % 5 < 3 ? id(4, (index * index) % 11) : null,
  name: `${['Harbour', 'Lantern', 'Meridian', 'Northlight'][index % 4]} ${index * 7919}`,
  state: index < 200 ? 'new' : index < 1_200 ? 'finalized' : index % 20 === 0 ? 'archived' : 'expired',
  sender: `sender-${Math.floor(Math.sqrt(index % 400))}@example.test`,
  // Two hours apart, and some at the same moment.
  created_at: new Date(newest - Math.floor(index / 2) * 4 * 3_600_000),
  finalized_at: index < 200 ? null : new Date(newest - Math.floor(index / 2) * 4 * 3_600_000 + 3_600_000),
  expiry: index < 1_200 ? new Date(Date.UTC(2096, 0, 1) + index) : new Date(newest - (index - 120) * 2 * 3_600_000),
  size: (index * 7919) % 100_000,
  downloaded_bytes: index % 3,
})

// Twenty thousand rows are made once for all tests here.
let shared: { readonly cx: TestCx; readonly all: readonly PackageFacts[] }

const undo: (() => unknown)[] = []
before(async () => {
  const cx = await testCx({ after: (work: () => unknown) => undo.push(work) } as unknown as TestContext)
  await cx.db.transaction((tx) =>
    insertManyPackages(
      tx,
      teamId,
      Array.from({ length: count }, (_, index) => some(index)),
    ),
  )
  while ((await cx.db.transaction((tx) => foldDeltas(tx, 5_000))) > 0);
  // All of them, or the server would get to it by itself sooner or later, and plan anew.
  await cx.db.rows(sql`vacuum (analyze) packages`)
  await cx.db.rows(sql`vacuum (analyze) package_counts`)
  await cx.db.rows(sql`vacuum (analyze) package_deltas`)
  shared = { cx, all: await factsOfTeam(cx.db, teamId) }
})
after(async () => {
  for (const work of undo.toReversed()) await work()
})

const sent: PackageFilter = { teamId, received: false, hiddenPortals: [], states: ['finalized', 'expired'] }
const span = (from: number, until: number) => ({
  from: new Date(newest - from * 86_400_000 + 1_000),
  until: new Date(newest - until * 86_400_000 + 1_000),
})

const page = (order: PackageOrder = 'created_at', offset = 0, descending = true) => ({
  order,
  descending,
  limit: 50,
  offset,
})

/** What is asked for: a filter and a page of it. */
const lists: Readonly<Record<string, readonly [PackageFilter, ReturnType<typeof page>]>> = {
  'page 1': [sent, page()],
  'page 180, deep in the order of creation': [sent, page('created_at', 9_000)],
  ...Object.fromEntries(packageSorts.map((order) => [`by ${order}`, [sent, page(order, 0, false)] as const])),
  'page 180 by name': [sent, page('name', 9_000)],
  'finalized alone': [{ ...sent, states: ['finalized'] }, page()],
  'expired alone': [{ ...sent, states: ['expired'] }, page()],
  'one tag': [{ ...sent, tags: [id(4, 1)] }, page()],
  'two tags': [{ ...sent, tags: [id(4, 1), id(4, 3)] }, page()],
  'a sender': [{ ...sent, sender: 'sender-9@example.test' }, page()],
  'a Teamspace': [{ ...sent, spaces: { ids: [id(3, 2)], none: false } }, page()],
  'what a member sees': [{ ...sent, spaces: { ids: [id(3, 2)], none: true } }, page()],
  'a month of creation': [{ ...sent, created: span(400, 370) }, page()],
  'a month of expiry': [{ ...sent, expiry: span(400, 370) }, page()],
  'extra storage': [{ ...sent, kept: { longer: true, days: 10 } }, page()],
  'a rare name': [{ ...sent, name: '79190' }, page()],
  'a frequent name': [{ ...sent, name: 'lantern' }, page()],
  'a tag in a month': [{ ...sent, tags: [id(4, 1)], created: span(400, 370) }, page()],
  'a tag in a Teamspace': [{ ...sent, tags: [id(4, 1)], spaces: { ids: [id(3, 2)], none: false } }, page()],
  'a sender in a month': [{ ...sent, sender: 'sender-9@example.test', created: span(400, 370) }, page()],
  'a name with a tag': [{ ...sent, name: 'lantern', tags: [id(4, 1)] }, page()],
  'the inbox': [{ ...sent, received: true }, page()],
  'the inbox without a hidden Portal': [{ ...sent, received: true, hiddenPortals: [id(2, 1)] }, page()],
  'finalized lately, through a Portal': [
    { ...sent, received: true, portalId: id(2, 3), finalized: { from: new Date(newest - 120 * 86_400_000) } },
    page('finalized_at', 0, false),
  ],
  'a Portal': [{ ...sent, received: true, portalId: id(2, 3) }, page()],
}

/** Writes down how each statement is to be done before it is done: its steps, without their conditions. */
const explaining = (reads: Reads, plans: string[]): Reads => {
  const explain = async (query: Sql) => {
    const lines = await reads.rows<{ 'QUERY PLAN': string }>({ ...sql`explain (costs off) ${query}`, unnamed: true })
    const steps = lines.map((line) => line['QUERY PLAN']).filter((line) => !/^ +[A-Z][\w ]+: /.test(line))
    plans.push(steps.join('\n'))
  }
  return {
    async rows(query) {
      await explain(query)
      return reads.rows(query)
    },
    async row(query) {
      await explain(query)
      return reads.row(query)
    },
  }
}

test('how each list is found (node --test --test-update-snapshots writes the plans anew)', async (t) => {
  const { cx } = shared
  const text: string[] = []
  for (const [name, [filter, wanted]] of Object.entries(lists)) {
    const plans: string[] = []
    const reads = explaining(cx.db, plans)
    await pageOfPackages(reads, filter, await totalsOf(reads, filter), wanted)
    text.push(`# ${name}`, ...plans)
  }
  const plans: string[] = []
  await packagesAfter(explaining(cx.db, plans), sent, { created_at: new Date(newest), id: id(5) }, 100)
  text.push('# the next of a list without pages', ...plans)
  t.assert.fileSnapshot(`${text.join('\n\n')}\n`, new URL('./list-plans.txt', import.meta.url).pathname, {
    serializers: [String],
  })
})

test('deep pages are those that the whole list has there, from either end', async () => {
  const { cx, all } = shared
  const filters: readonly (readonly [string, PackageFilter, (pkg: PackageFacts) => boolean])[] = [
    ['all', sent, () => true],
    ['tag', { ...sent, tags: [id(4, 1), id(4, 3)] }, ({ tag_id }) => tag_id === id(4, 1) || tag_id === id(4, 3)],
    ['finalized', { ...sent, states: ['expired', 'archived'] }, () => true],
    ['span', { ...sent, created: span(1_500, 100) }, (pkg) => inSpan(pkg.created_at, span(1_500, 100))],
    [
      'expiry',
      { ...sent, expiry: span(1_500, 100) },
      (pkg) => pkg.expiry !== null && inSpan(pkg.expiry, span(1_500, 100)),
    ],
    ['name', { ...sent, name: 'LANTERN' }, ({ name }) => name.startsWith('Lantern')],
  ]
  for (const [label, filter, fits] of filters) {
    const whole = all
      .filter((pkg) => pkg.portal_id === null && filter.states.includes(stateNow(pkg)) && fits(pkg))
      .toSorted((a, b) => a.created_at.getTime() - b.created_at.getTime() || (a.id < b.id ? -1 : 1))
      .map((pkg) => pkg.id)
    const totals = await totalsOf(cx.db, filter)
    assert.equal(totals.total, whole.length, label)
    for (const share of [0.2, 0.3, 0.45, 0.55, 0.9]) {
      const offset = Math.floor(whole.length * share)
      for (const descending of [false, true]) {
        const rows = await pageOfPackages(cx.db, filter, totals, page('created_at', offset, descending))
        const list = descending ? whole.toReversed() : whole
        assert.deepEqual(
          rows.map((row) => row.id),
          list.slice(offset, offset + 50),
          `${label} at ${offset}, ${descending ? 'downwards' : 'upwards'}`,
        )
      }
    }
  }
})

const inSpan = (time: Date, { from, until }: { from: Date; until: Date }) => time >= from && time < until
