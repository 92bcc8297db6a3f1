import assert from 'node:assert/strict'
import { hash, randomBytes } from 'node:crypto'
import { test, type TestContext } from 'node:test'
import { listFiles } from '#domain/downloads/list-files'
import { fileUrl } from '#domain/downloads/file-url'
import { deletePackage } from '#domain/packages/delete-package'
import { finalizePackage } from '#domain/packages/finalize-package'
import { purgePackages } from '#domain/packages/purge-package'
import { sql } from '#platform/db'
import { testCx, type TestCx } from '#test-kit/cx'
import { callerFor, type MadePackage, makePackage } from '#test-kit/make'
import { type FileToMake, makeFiles } from '#test-kit/make-files'
import { unpacked } from '#test-kit/unpacked'
import { createArchives } from './archives.ts'
import type { Conditions } from './conditions.ts'
import { type ArchiveKind, archiveId, archiveKinds } from './kinds.ts'
import { keepPlans, manyFiles } from './kept-plans.ts'
import { openArchive } from './open-archive.ts'

interface Sent {
  readonly cx: TestCx
  readonly pkg: MadePackage
  readonly open: (kind: ArchiveKind, conditions?: Conditions, on?: TestCx) => ReturnType<typeof openArchive>
  readonly fetch: (kind: ArchiveKind, range?: string) => Promise<Buffer>
}

const staying = new AbortController().signal

/** A finalized package of these files, and its archives as a recipient gets them. */
async function send(t: TestContext, files: readonly FileToMake[], onto?: TestCx): Promise<Sent> {
  const cx = onto ?? (await testCx(t))
  const pkg = await makePackage(cx, { name: 'Day 1/2: rushes' })
  await makeFiles(cx, pkg, files)
  await finalizePackage(cx, pkg.manager, pkg.id)
  const reader = await callerFor(cx, pkg, 'read')
  const open: Sent['open'] = async (kind, conditions = {}, on = cx) => {
    const { url } = await fileUrl(cx, reader, pkg.id, archiveId(pkg.id, kind), {})
    const token = new URL(url).searchParams.get('token') ?? ''
    return openArchive(on, { packageId: pkg.id, fileId: archiveId(pkg.id, kind), token }, conditions)
  }
  const fetch: Sent['fetch'] = async (kind, range) => {
    const archive = await open(kind, { range })
    return Buffer.concat(await Array.fromAsync(await archive.bytes(staying)))
  }
  return { cx, pkg, open, fetch }
}

const sha256 = (bytes: Buffer) => hash('sha256', bytes)

/** What unpacking must give: these files, and all folders on the way to them. */
function expected(files: Readonly<Record<string, Buffer | undefined>>): Map<string, string> {
  const entries = new Map<string, string>()
  for (const [path, bytes] of Object.entries(files)) {
    const components = path.split('/')
    for (let depth = 1; depth < components.length; depth++) entries.set(`${components.slice(0, depth).join('/')}/`, '')
    if (!path.endsWith('/')) entries.set(path, sha256(bytes ?? Buffer.alloc(0)))
  }
  return new Map([...entries].toSorted(([a], [b]) => (a < b ? -1 : 1)))
}

async function assertUnpacks(archive: Buffer, files: Readonly<Record<string, Buffer | undefined>>): Promise<void> {
  for (const { by, entries } of await unpacked(archive)) {
    assert.deepEqual(new Map([...entries].toSorted(([a], [b]) => (a < b ? -1 : 1))), expected(files), by)
  }
}

const made = (files: Readonly<Record<string, Buffer | undefined>>): FileToMake[] =>
  Object.entries(files).map(([path, bytes]) => ({ path, ...(bytes === undefined ? {} : { bytes }) }))

test('folders alone, and a single file, are archives that every program opens', async (t) => {
  const folders = { 'empty/': undefined, 'a/b/': undefined }
  const cx = await testCx(t)
  const [bare, one] = [await send(t, made(folders), cx), await send(t, made({ 'one.txt': Buffer.from('one') }), cx)]
  for (const kind of archiveKinds) {
    await assertUnpacks(await bare.fetch(kind), folders)
    await assertUnpacks(await one.fetch(kind), { 'one.txt': Buffer.from('one') })
  }
})

const deep = Array.from({ length: 60 }, (_, depth) => `level ${depth}`).join('/')

test('names in many scripts, deep paths and files of no bytes arrive as they were sent', async (t) => {
  const names = ['Überfahrt.mov', 'Серия 1.mov', '第一話/漢字.txt', 'שלום.txt', 'ไทย.txt', '🎬 film.mov', 'a b  c.txt']
  const files: Record<string, Buffer | undefined> = {
    ...Object.fromEntries(names.map((name) => [name, Buffer.from(name)])),
    'nothing.bin': Buffer.alloc(0),
    [`${deep}/bottom.txt`]: Buffer.from('deep'),
    'large enough to be read by itself': randomBytes(700_000),
  }
  const { fetch } = await send(t, made(files))
  for (const kind of archiveKinds) await assertUnpacks(await fetch(kind), files)
})

test('names that Windows cannot have are cleaned for it, numbered where they clash, and left alone for the Mac', async (t) => {
  const given = ['a?.txt', 'a*.txt', 'A_.txt', 'CON', 'dot.', 'x', 'X/inside', 'ﬁn', 'fin']
  const clean = ['a_.txt', 'a_ (2).txt', 'A_ (3).txt', '_CON', 'dot', 'x', 'X (2)/inside', 'ﬁn', 'fin (2)']
  const { fetch } = await send(t, made(Object.fromEntries(given.map((name) => [name, Buffer.from(name)]))))
  const windows = Object.fromEntries(clean.map((name, index) => [name, Buffer.from(given[index] ?? '')]))
  await assertUnpacks(await fetch('zip_windows'), windows)
  await assertUnpacks(await fetch('zip_mac'), Object.fromEntries(given.map((name) => [name, Buffer.from(name)])))
})

test('1,100 small files are one archive, and any range of it is its slice, from a cold process too', async (t) => {
  const files = Object.fromEntries(
    Array.from({ length: 1_100 }, (_, index) => [`day ${index % 7}/${index}.txt`, Buffer.from(`file ${index}`)]),
  )
  const { cx, open, fetch } = await send(t, made(files))
  const whole = await fetch('zip_windows')
  await assertUnpacks(whole, files)
  for (let round = 0; round < 10; round++) {
    const start = Math.floor((round / 10 + Math.random() / 10) * whole.length)
    const end = Math.min(whole.length - 1, start + 5_000)
    const cold: TestCx = { ...cx, archives: createArchives({ atOnce: 1 }) }
    const archive = await open('zip_windows', { range: `bytes=${start}-${end}` }, cold)
    assert.equal(archive.verdict.status, 206)
    const bytes = Buffer.concat(await Array.fromAsync(await archive.bytes(staying)))
    assert.ok(bytes.equals(whole.subarray(start, end + 1)), `${start}-${end}`)
  }
})

test('how very many files are laid out is kept once their list is final, and gives the same bytes', async (t) => {
  const folders = Array.from({ length: manyFiles }, (_, index) => [`folder ${index}/`, undefined] as const)
  const names = ['a?.txt', 'a*.txt', 'bad.exe'].map((name) => [name, Buffer.from(name)] as const)
  const { cx, pkg, open, fetch } = await send(t, made(Object.fromEntries([...folders, ...names])))
  await cx.db.transaction((tx) =>
    tx.run(sql`update files set virus_detected = true where package_id = ${pkg.id} and name = 'bad.exe'`),
  )
  const worked: Record<string, Buffer> = {}
  for (const kind of archiveKinds) worked[kind] = await fetch(kind)
  const etags = await Promise.all(archiveKinds.map(async (kind) => (await open(kind)).etag))
  const kept = () => cx.db.rows(sql`select kind from archive_plans where package_id = ${pkg.id}`)
  assert.deepEqual(await kept(), [])

  await keepPlans(cx, { teamId: pkg.teamId, packageId: pkg.id })
  assert.equal((await kept()).length, archiveKinds.length)
  for (const [index, kind] of archiveKinds.entries()) {
    const cold: TestCx = { ...cx, archives: createArchives({ atOnce: 1 }) }
    const archive = await open(kind, {}, cold)
    assert.equal(archive.etag, etags[index])
    assert.ok(Buffer.concat(await Array.fromAsync(await archive.bytes(staying))).equals(worked[kind] as Buffer), kind)
  }
  await deletePackage(cx, pkg.manager, pkg.id)
  await purgePackages(cx, [{ teamId: pkg.teamId, packageId: pkg.id, last: true }], staying)
  assert.deepEqual(await kept(), [])
})

test('the list shows both archives of a finalized package with their sizes, and none while it is open', async (t) => {
  const { cx, pkg, fetch } = await send(t, made({ a: Buffer.from('a'), 'b/': undefined }))
  const listed = async (of: MadePackage) =>
    JSON.parse((await Array.fromAsync(await listFiles(cx, of.manager, of.id))).join('')) as {
      id: string
      kind: string
      name: string
      size: number
    }[]
  const archives = (await listed(pkg)).filter(({ kind }) => kind.startsWith('zip'))
  assert.deepEqual(
    archives.map(({ id, kind, name }) => ({ id, kind, name })),
    archiveKinds.map((kind) => ({ id: archiveId(pkg.id, kind), kind, name: 'Day 1_2_ rushes.zip' })),
  )
  for (const { kind, size } of archives) assert.equal((await fetch(kind as ArchiveKind)).length, size)
  const open = await makePackage(cx, { files: [{}] })
  assert.deepEqual(
    (await listed(open)).map(({ kind }) => kind),
    ['file'],
  )
})

test('an archive waits until every file has its CRC-32, and asking too early counts no access', async (t) => {
  const { cx, pkg, open } = await send(t, [
    { path: 'told', bytes: Buffer.from('a') },
    { path: 'not told', bytes: Buffer.from('b'), checksums: false },
  ])
  await assert.rejects(open('zip_mac'), { code: 'archive_not_ready', retryAfterSeconds: 5 })
  const counted = await cx.db.row<{ downloads: number }>(sql`select downloads from packages where id = ${pkg.id}`)
  assert.equal(counted?.downloads, 0)
})

const findVirus = (cx: TestCx, pkg: MadePackage, name: string) =>
  cx.db.transaction((tx) =>
    tx.run(sql`
      update files set virus_detected = true, scan = 'infected'
       where team_id = ${pkg.teamId} and package_id = ${pkg.id} and name = ${name}
    `),
  )

test('a file with a virus is left out and named in a note, which takes nobody’s name', async (t) => {
  const files = { good: Buffer.from('good'), 'bad.exe': Buffer.from('bad'), 'Not Included.TXT': Buffer.from('mine') }
  const cx = await testCx(t)
  const pkg = await makePackage(cx)
  await makeFiles(cx, pkg, made(files))
  await findVirus(cx, pkg, 'bad.exe')
  await finalizePackage(cx, pkg.manager, pkg.id)
  const reader = await callerFor(cx, pkg, 'read')
  for (const kind of archiveKinds) {
    const fileId = archiveId(pkg.id, kind)
    const { url } = await fileUrl(cx, reader, pkg.id, fileId, {})
    const token = new URL(url).searchParams.get('token') ?? ''
    const archive = await openArchive(cx, { packageId: pkg.id, fileId, token }, {})
    const bytes = Buffer.concat(await Array.fromAsync(await archive.bytes(staying)))
    const note = 'These files of the package are not in this archive:\r\n\r\nbad.exe (a virus was found in it)\r\n'
    const { 'bad.exe': _bad, ...rest } = files
    await assertUnpacks(bytes, { ...rest, 'NOT INCLUDED (2).txt': Buffer.from(note) })
  }
})

test('a virus found after the archive was laid out ends its streams, and the next one is another archive', async (t) => {
  const { cx, pkg, open } = await send(t, made({ a: Buffer.from('a'), bad: Buffer.from('b') }))
  const before = await open('zip_mac')
  await findVirus(cx, pkg, 'bad')
  await assert.rejects(Array.fromAsync(await before.bytes(staying)), /not those that its archive was laid out for/)
  const after = await open('zip_mac')
  assert.notEqual(after.etag, before.etag)
  const bytes = Buffer.concat(await Array.fromAsync(await after.bytes(staying)))
  assert.ok(!bytes.includes('bad\u0000'))
})

test('ETags differ by kind and by whatever the bytes depend on, and stay for the same package', async (t) => {
  const cx = await testCx(t)
  const etag = async (sent: Sent, kind: ArchiveKind = 'zip_mac') => (await sent.open(kind)).etag
  const first = await send(t, [{ path: 'a', bytes: Buffer.from('a') }], cx)
  const others = [
    await send(t, [{ path: 'a', bytes: Buffer.from('b') }], cx),
    await send(t, [{ path: 'b', bytes: Buffer.from('a') }], cx),
    await send(t, [{ path: 'a', bytes: Buffer.from('a'), modified: '2026-01-02T03:04:07.000Z' }], cx),
  ]
  const etags = [
    await etag(first),
    await etag(first, 'zip_windows'),
    ...(await Promise.all(others.map((one) => etag(one)))),
  ]
  assert.equal(new Set(etags).size, 5)
  const cold: TestCx = { ...cx, archives: createArchives({ atOnce: 1 }) }
  assert.equal((await first.open('zip_mac', {}, cold)).etag, etags[0])
})

test('a package that is deleted stops the archives that are being sent, and opens no more', async (t) => {
  const { cx, pkg, open } = await send(t, made({ a: randomBytes(3 * 2 ** 20), b: randomBytes(3 * 2 ** 20) }))
  const archive = await open('zip_mac')
  const stream = (await archive.bytes(staying))[Symbol.asyncIterator]()
  await stream.next()
  const token = await cx.tokens.issueArchive({ teamId: pkg.teamId, packageId: pkg.id, kind: 'zip_mac', serial: 0 }, 60)
  await deletePackage(cx, pkg.manager, pkg.id)
  await assert.rejects(
    async () => {
      for (;;) {
        const { done } = await stream.next()
        assert.ok(done !== true, 'it was sent to the end')
        // Slowly, as over a thin line: a look comes every two seconds.
        await new Promise((resolve) => setTimeout(resolve, 100))
      }
    },
    { code: 'package_expired' },
  )
  const address = { packageId: pkg.id, fileId: archiveId(pkg.id, 'zip_mac'), token }
  await assert.rejects(openArchive(cx, address, {}), { code: 'package_expired' })
})

test('an address is good for its own archive alone, and for nobody else’s token', async (t) => {
  const { cx, pkg } = await send(t, made({ a: Buffer.from('a') }))
  const claims = { teamId: pkg.teamId, packageId: pkg.id, kind: 'zip_mac', serial: 0 } as const
  const token = await cx.tokens.issueArchive(claims, 60)
  const at = (fileId: string, token_: string) => openArchive(cx, { packageId: pkg.id, fileId, token: token_ }, {})
  await assert.rejects(at(archiveId(pkg.id, 'zip_windows'), token), { code: 'credential_invalid' })
  const packageToken = await cx.tokens.issuePackage({ ...claims, level: 'manage' })
  await assert.rejects(at(archiveId(pkg.id, 'zip_mac'), packageToken), { code: 'credential_invalid' })
  const changed = `${token.slice(0, -3)}${token.endsWith('AAA') ? 'BBB' : 'AAA'}`
  await assert.rejects(at(archiveId(pkg.id, 'zip_mac'), changed), { code: 'credential_invalid' })
  const stale = await cx.tokens.issueArchive({ ...claims, serial: 1 }, 60)
  await assert.rejects(at(archiveId(pkg.id, 'zip_mac'), stale), { code: 'token_revoked' })
})
