import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newId } from '@longshore/kit/ids'
import { type Reads, type Sql, sql } from '#platform/db'
import { testCx, type TestCx } from '#test-kit/cx'
import { makePackage } from '#test-kit/make'
import { closeFiles, correctSizes, filesById, insertFiles, markCompleting } from './files.ts'
import { noteInspected } from './inspections.ts'
import { entriesAt, foldersInUse, readByIndex } from './places.ts'

const count = 4_000
const asked = 20

interface Step {
  readonly 'Actual Rows': number
  readonly 'Actual Loops': number
  readonly Plans?: readonly Step[]
  readonly [counted: `Rows Removed by ${string}`]: number
}

/** Rows that all steps of a plan have looked at. */
function rowsIn(step: Step): number {
  const removed = Object.entries(step)
    .filter(([name]) => name.startsWith('Rows Removed by'))
    .reduce((sum, [, rows]) => sum + Number(rows), 0)
  const own = (step['Actual Rows'] + removed) * step['Actual Loops']
  return (step.Plans ?? []).reduce((sum, inner) => sum + rowsIn(inner), own)
}

/** Does what it is asked for and counts the rows that it takes. */
const counting = (reads: Reads, told: (rows: number) => void): Reads => {
  const explain = async (query: Sql) => {
    const [plan] = await reads.rows<{ 'QUERY PLAN': readonly [{ readonly Plan: Step }] }>({
      ...sql`explain (analyze, format json) ${query}`,
      unnamed: true,
    })
    if (plan !== undefined) told(rowsIn(plan['QUERY PLAN'][0].Plan))
  }
  return {
    rows: async (query) => {
      await explain(query)
      return []
    },
    row: async (query) => {
      await explain(query)
      return undefined
    },
  }
}

async function fill(cx: TestCx): Promise<{ teamId: string; id: string; ids: readonly string[] }> {
  const { teamId, id } = await makePackage(cx)
  const files = Array.from({ length: count }, (_, index) => ({
    id: newId(),
    kind: 'file' as const,
    path: `reel ${index % 20}/takes`,
    name: `frame ${index}.dpx`,
    size: 100,
    lastModified: new Date(0),
    chunkSize: 5_242_880,
    state: 'new' as const,
    singlePut: true,
    objectKey: newId(),
  }))
  await cx.db.transaction((tx) => insertFiles(tx, teamId, id, files))
  return { teamId, id, ids: files.slice(0, asked).map((file) => file.id) }
}

// What the database believes of a table decides how it reads it, and of a package that is being filled it knows nothing.
const beliefs: Readonly<Record<string, (cx: TestCx) => Promise<unknown>>> = {
  'knows nothing': (cx) => fill(cx),
  'saw the table empty': async (cx) => {
    await cx.db.rows(sql`vacuum (analyze) files`)
    return fill(cx)
  },
  'saw one other package': async (cx) => {
    await fill(cx)
    await cx.db.rows(sql`vacuum (analyze) files`)
  },
  'saw many small ones': async (cx) => {
    const { id } = await fill(cx)
    await cx.db.rows(sql`
      insert into files (team_id, package_id, id, kind, path, name, last_modified, chunk_size, state)
      select team_id, gen_random_uuid(), id, kind, path, name, last_modified, chunk_size, state
        from files where package_id = ${id}`)
    await cx.db.rows(sql`delete from files where package_id = ${id}`)
    await cx.db.rows(sql`vacuum (analyze) files`)
  },
}

for (const [belief, prepare] of Object.entries(beliefs)) {
  test(`a few files of a package are found without reading it all, where the database ${belief}`, async (t) => {
    const cx = await testCx(t)
    await prepare(cx)
    const { teamId, id, ids } = await fill(cx)
    const named = ids.map((one) => ({ id: one, size: 1, contentDigest: Buffer.alloc(1) }))
    const places = ids.map((_, index) => ({ path: `reel ${index % 20}/takes`, name: `other ${index}.dpx` }))
    type Statements = Readonly<Record<string, (reads: never) => Promise<unknown>>>
    const ofIds: Statements = {
      'files by their ids': (reads) => filesById(reads, teamId, id, ids),
      'mark as completing': (tx) =>
        markCompleting(
          tx,
          teamId,
          id,
          named.map((one) => ({ ...one, uploadId: null, expectedEtag: null })),
        ),
      'close files': (tx) =>
        closeFiles(
          tx,
          teamId,
          id,
          named.map((one) => ({ ...one, etag: null, sha256: null, crc32: null })),
        ),
      'correct sizes': (tx) => correctSizes(tx, teamId, id, named),
      'note what was inspected': (tx) =>
        noteInspected(
          tx,
          teamId,
          id,
          ids.map((one) => ({ id: one, sha256: null, crc32: null, scan: 'clean', damaged: false })),
        ),
    }
    const ofPlaces: Statements = {
      'entries at places': (reads) => entriesAt(reads, teamId, id, places),
      'folders in use': (reads) =>
        foldersInUse(
          reads,
          teamId,
          id,
          places.map(({ path, name }) => `${path}/${name}`),
        ),
    }
    for (const [name, statement] of Object.entries({ ...ofIds, ...ofPlaces })) {
      await cx.db.transaction(async (tx) => {
        // As it is done: only what asks for places says so before.
        if (name in ofPlaces) await readByIndex(tx)
        let rows = 0
        const counted = counting(tx, (found) => (rows += found))
        await statement({ ...counted, run: async (query: Sql) => (await counted.rows(query)).length } as never)
        assert.ok(rows > 0, name)
        // A join may hold each against each, and no more.
        assert.ok(rows <= 2 * asked ** 2, `${name}: ${rows} rows for ${asked}`)
      })
    }
  })
}
