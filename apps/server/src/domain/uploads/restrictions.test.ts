import assert from 'node:assert/strict'
import { test } from 'node:test'
import { finalizePackage } from '#domain/packages/finalize-package'
import { updatePortal } from '#domain/portals/manage-portals'
import type { GivenPortal } from '#domain/portals/portal-fields'
import { sql } from '#platform/db'
import { testCx, type TestCx } from '#test-kit/cx'
import { fileRows, packageRow } from '#test-kit/look'
import { type FileWishes, makeFile } from '#test-kit/make'
import { answer, type MadePortal, type MadePortalPackage, makePortal, makePortalPackage } from '#test-kit/make-portals'
import { race } from '#test-kit/race'
import { addFile, addFiles, type FileFields } from './add-files.ts'
import { finalizeFile, finalizeFiles } from './finalize-files.ts'
import { removeFile } from './remove-file.ts'

let names = 0
const file = (fields: Partial<FileFields> = {}): FileFields => ({
  kind: 'file',
  name: `file-${++names}.mov`,
  path: '',
  last_modified: '2026-01-02T03:04:05Z',
  ...fields,
})

async function makeLimited(cx: TestCx, limits: Partial<GivenPortal>) {
  const portal = await makePortal(cx, { package_size_restriction_enabled: true, ...limits })
  return { portal, pkg: await makePortalPackage(cx, portal) }
}

const declared = (cx: TestCx, pkg: MadePortalPackage) =>
  cx.db.row<{ files: number; size: number }>(
    sql`select declared_files as files, declared_size as size from packages where id = ${pkg.id}`,
  )

/** The kept totals are those of the rows. */
async function assertTotals(cx: TestCx, pkg: MadePortalPackage): Promise<void> {
  const rows = (await fileRows(cx, pkg.id)).filter((row) => row.name.startsWith('file-'))
  const size = rows.reduce((sum, row) => sum + (row.size ?? 0), 0)
  assert.deepEqual(await declared(cx, pkg), { files: rows.length, size })
}

const change = (cx: TestCx, portal: MadePortal, limits: Partial<GivenPortal>) =>
  updatePortal(cx, portal.team.owner.caller, portal.id, {
    name: 'x',
    subdomain: portal.subdomain,
    active: true,
    package_size_restriction_enabled: true,
    ...limits,
  })

test('a file over the limit is refused at add, one at the limit is not', async (t) => {
  const cx = await testCx(t)
  const { pkg } = await makeLimited(cx, { max_file_size: 100 })
  await addFile(cx, pkg.manager, pkg.id, file({ size: 100 }))
  await assert.rejects(addFile(cx, pkg.manager, pkg.id, file({ size: 101 })), { code: 'file_too_large' })
  const batch = [file({ size: 1 }), file({ size: 101 })]
  await assert.rejects(addFiles(cx, pkg.manager, pkg.id, batch), { code: 'file_too_large' })
  assert.equal((await fileRows(cx, pkg.id)).length, 1)
  await assertTotals(cx, pkg)
})

test('limits of 0, and limits that are switched off, are none', async (t) => {
  const cx = await testCx(t)
  const huge = [file({ size: 2 ** 40 }), file({ size: 0 })]
  const { pkg } = await makeLimited(cx, {})
  await addFiles(cx, pkg.manager, pkg.id, huge)
  const off = { package_size_restriction_enabled: false, max_file_size: 1, max_package_size: 1, max_file_count: 1 }
  const { pkg: other } = await makeLimited(cx, { ...off, file_type_restriction_enabled: false, file_types: ['jpg'] })
  await addFiles(cx, other.manager, other.id, huge)
  await assertTotals(cx, other)
})

test('the files of a package are together never more than the Portal takes', async (t) => {
  const cx = await testCx(t)
  const { pkg } = await makeLimited(cx, { max_package_size: 100, max_file_count: 3 })
  const added = await addFile(cx, pkg.manager, pkg.id, file({ size: 60 }))
  await assert.rejects(addFile(cx, pkg.manager, pkg.id, file({ size: 41 })), { code: 'package_too_large' })
  await addFiles(cx, pkg.manager, pkg.id, [file({ size: 40 }), file({ kind: 'directory', name: 'd' })])
  await addFile(cx, pkg.manager, pkg.id, file({ size: 0 }))
  await assert.rejects(addFile(cx, pkg.manager, pkg.id, file({ size: 0 })), { code: 'package_too_large' })
  await addFile(cx, pkg.manager, pkg.id, file({ kind: 'directory', name: 'e' }))
  await assertTotals(cx, pkg)

  // What is removed makes room.
  await removeFile(cx, pkg.manager, pkg.id, added.file.id)
  await assertTotals(cx, pkg)
  await addFile(cx, pkg.manager, pkg.id, file({ size: 60 }))
  const directory = (await fileRows(cx, pkg.id)).find((row) => row.name === 'd')
  await removeFile(cx, pkg.manager, pkg.id, directory?.id ?? '')
  await assertTotals(cx, pkg)
})

test('a batch that is together too much adds nothing', async (t) => {
  const cx = await testCx(t)
  const { pkg } = await makeLimited(cx, { max_package_size: 100, max_file_count: 3 })
  const many = [file(), file(), file(), file()]
  await assert.rejects(addFiles(cx, pkg.manager, pkg.id, many), { code: 'package_too_large' })
  await assert.rejects(addFiles(cx, pkg.manager, pkg.id, [file({ size: 51 }), file({ size: 50 })]), {
    code: 'package_too_large',
  })
  assert.deepEqual(await fileRows(cx, pkg.id), [])
  assert.deepEqual(await declared(cx, pkg), { files: 0, size: 0 })
})

test('two files added at once, each within and together over: the second is refused', async (t) => {
  const cx = await testCx(t)
  const { pkg } = await makeLimited(cx, { max_package_size: 100 })
  const add = (cx: TestCx) => addFile(cx, pkg.manager, pkg.id, file({ size: 60 }))
  const { first, second } = await race(cx, add, add)
  await first
  await assert.rejects(second, { code: 'package_too_large' })
  await assertTotals(cx, pkg)
})

test('fifty added at once: as many as fit, and not one more', async (t) => {
  const cx = await testCx(t)
  const { pkg } = await makeLimited(cx, { max_package_size: 100, max_file_count: 9 })
  const outcomes = await Promise.allSettled(
    Array.from({ length: 50 }, (_, n) =>
      n % 2 === 0
        ? addFile(cx, pkg.manager, pkg.id, file({ size: 9 }))
        : addFiles(cx, pkg.manager, pkg.id, [file({ size: 9 })]),
    ),
  )
  const refused = outcomes.filter((outcome) => outcome.status === 'rejected')
  assert.ok(refused.every(({ reason }) => (reason as { code: string }).code === 'package_too_large'))
  assert.equal(refused.length, 41)
  assert.equal((await fileRows(cx, pkg.id)).length, 9)
  await assertTotals(cx, pkg)
})

test('types: only the listed ones, in the last real extension', async (t) => {
  const cx = await testCx(t)
  const { pkg } = await makeLimited(cx, { file_type_restriction_enabled: true, file_types: ['.MOV', 'jpg'] })
  for (const name of ['a.php', 'a.mov.php', 'a.php.', 'a.php::$DATA', 'README', '.jpg', 'a.PHP']) {
    await assert.rejects(addFile(cx, pkg.manager, pkg.id, file({ name })), { code: 'file_type_refused' }, name)
    await assert.rejects(
      addFiles(cx, pkg.manager, pkg.id, [file(), file({ name })]),
      { code: 'file_type_refused' },
      name,
    )
  }
  assert.deepEqual(await fileRows(cx, pkg.id), [])
  for (const name of ['a.mov', 'b.JPG', 'c.php.jpg', 'd.jpg.']) await addFile(cx, pkg.manager, pkg.id, file({ name }))
  await addFile(cx, pkg.manager, pkg.id, file({ kind: 'directory', name: 'folder.php' }))
})

const unannounced = (bytes: number): FileWishes => ({
  name: `file-${++names}`,
  pieces: [Buffer.alloc(bytes, 1)],
  announced: false,
  finalized: false,
})

test('a file whose size was not said is judged by its real bytes when it is finalized', async (t) => {
  const cx = await testCx(t)
  const { pkg } = await makeLimited(cx, { max_file_size: 50, max_package_size: 90 })
  const [big, first, second] = [
    await makeFile(cx, pkg, unannounced(51)),
    await makeFile(cx, pkg, unannounced(50)),
    await makeFile(cx, pkg, unannounced(41)),
  ]
  assert.deepEqual(await declared(cx, pkg), { files: 3, size: 0 })
  await assert.rejects(finalizeFile(cx, pkg.manager, pkg.id, big.id, big.claim), { code: 'file_too_large' })
  await finalizeFile(cx, pkg.manager, pkg.id, first.id, first.claim)
  await finalizeFile(cx, pkg.manager, pkg.id, first.id, first.claim)
  await assert.rejects(finalizeFile(cx, pkg.manager, pkg.id, second.id, second.claim), { code: 'package_too_large' })
  await assert.rejects(addFile(cx, pkg.manager, pkg.id, file({ size: 41 })), { code: 'package_too_large' })
  await assertTotals(cx, pkg)
  const closed = (await fileRows(cx, pkg.id)).filter((row) => row.state === 'finalized')
  assert.deepEqual(
    closed.map(({ id }) => id),
    [first.id],
  )
  for (const { id } of [big, second]) await removeFile(cx, pkg.manager, pkg.id, id)
  await finalizePackage(cx, pkg.manager, pkg.id)
  assert.deepEqual([(await packageRow(cx, pkg.id))?.size], [50])
})

test('many finalized in one call: those that fit are closed, the others are told why', async (t) => {
  const cx = await testCx(t)
  const { pkg } = await makeLimited(cx, { max_package_size: 100, max_file_size: 60 })
  const made = [
    await makeFile(cx, pkg, unannounced(60)),
    await makeFile(cx, pkg, unannounced(61)),
    await makeFile(cx, pkg, unannounced(50)),
    await makeFile(cx, pkg, unannounced(40)),
    await makeFile(cx, pkg, { name: `file-${++names}`, pieces: [Buffer.alloc(0)], finalized: false }),
  ]
  const { results } = await finalizeFiles(
    cx,
    pkg.manager,
    pkg.id,
    made.map(({ claim }) => claim),
  )
  assert.deepEqual(
    results.map((result) => ('error' in result ? result.error : result.status)),
    [204, 'file_too_large', 'package_too_large', 204, 204],
  )
  await assertTotals(cx, pkg)
})

test('two finalized at once, together over: the second is refused', async (t) => {
  const cx = await testCx(t)
  const { pkg } = await makeLimited(cx, { max_package_size: 100 })
  const [a, b] = [await makeFile(cx, pkg, unannounced(60)), await makeFile(cx, pkg, unannounced(60))]
  const { first, second } = await race(
    cx,
    (cx) => finalizeFile(cx, pkg.manager, pkg.id, a.id, a.claim),
    (cx) => finalizeFile(cx, pkg.manager, pkg.id, b.id, b.claim),
  )
  await first
  await assert.rejects(second, { code: 'package_too_large' })
  await assertTotals(cx, pkg)
})

test('a Portal that takes less by now does not get what it no longer takes', async (t) => {
  const cx = await testCx(t)
  const { portal, pkg } = await makeLimited(cx, {})
  await makeFile(cx, pkg, { pieces: [Buffer.alloc(60)] })
  const second = await makeFile(cx, pkg, { pieces: [Buffer.alloc(50)] })
  const refused = (code: string) => assert.rejects(finalizePackage(cx, pkg.manager, pkg.id), { code })
  await change(cx, portal, { max_file_size: 59 })
  await refused('file_too_large')
  await change(cx, portal, { max_file_count: 1 })
  await refused('package_too_large')
  await change(cx, portal, { max_package_size: 109 })
  await refused('package_too_large')
  assert.equal((await packageRow(cx, pkg.id))?.state, 'new')
  await removeFile(cx, pkg.manager, pkg.id, second.id)
  await finalizePackage(cx, pkg.manager, pkg.id)
  assert.equal((await packageRow(cx, pkg.id))?.size, 60)
})

test("the form's own files are not held against the sender", async (t) => {
  const cx = await testCx(t)
  const portal = await makePortal(cx, {
    package_size_restriction_enabled: true,
    max_file_size: 5,
    max_package_size: 5,
    max_file_count: 1,
    file_type_restriction_enabled: true,
    file_types: ['mov'],
    form: { delivery_formats: ['json'] },
  })
  const pkg = await makePortalPackage(cx, portal, { form_data_id: (await answer(cx, portal, {})).id })
  await makeFile(cx, pkg, { name: 'a.mov', pieces: [Buffer.alloc(5)] })
  await finalizePackage(cx, pkg.manager, pkg.id)
  assert.equal((await packageRow(cx, pkg.id))?.total_files, 2)
})
