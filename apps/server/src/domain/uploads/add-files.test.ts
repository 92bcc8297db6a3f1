import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testCx, type TestCx } from '#test-kit/cx'
import { fileRows } from '#test-kit/look'
import { callerFor, type MadePackage, makePackage } from '#test-kit/make'
import { race } from '#test-kit/race'
import { addFile, addFiles } from './add-files.ts'

type Kind = 'file' | 'directory'

const entry = (full: string, kind: Kind = 'file') => {
  const parts = full.split('/')
  const name = parts.pop() ?? ''
  return { kind, name, path: parts.join('/'), size: 1, last_modified: '2026-01-02T03:04:05.000Z' }
}

const paths = async (cx: TestCx, pkg: MadePackage) =>
  (await fileRows(cx, pkg.id)).map(({ path, name }) => (path === '' ? name : `${path}/${name}`))

// What stands there first, what is added then, and whether the two go together.
const pairs: readonly (readonly [first: string, kind: Kind, second: string, kind: Kind, together: boolean])[] = [
  ['a', 'file', 'a', 'file', false],
  ['a', 'directory', 'a', 'directory', false],
  ['a', 'file', 'a', 'directory', false],
  ['a', 'directory', 'a', 'file', false],
  ['a', 'file', 'a/b', 'file', false],
  ['a', 'file', 'a/b/c', 'directory', false],
  ['a/b', 'file', 'a', 'file', false],
  ['a/b/c', 'file', 'a', 'file', false],
  ['a/b/c', 'directory', 'a/b', 'file', false],
  ['a/b', 'file', 'a', 'directory', true],
  ['a', 'directory', 'a/b', 'file', true],
  ['a', 'file', 'A', 'file', true],
  ['a', 'file', 'ab/c', 'file', true],
  ['a0', 'file', 'a/b', 'file', true],
  ['a.b/c', 'file', 'a', 'file', true],
  ['a%/b', 'file', 'a_', 'file', true],
]

test('a file and a folder never share a place, in one batch or against what is there', async (t) => {
  const cx = await testCx(t)
  const { owner, teamId } = await makePackage(cx)
  for (const [first, firstKind, second, secondKind, together] of pairs) {
    const what = `${firstKind} ${first}, then ${secondKind} ${second}`
    const [one, two] = [entry(first, firstKind), entry(second, secondKind)]
    const wishes = { team: { id: teamId, owner } }

    const [batch, apart] = [await makePackage(cx, wishes), await makePackage(cx, wishes)]
    await addFile(cx, apart.manager, apart.id, one)
    const inBatch = () => addFiles(cx, batch.manager, batch.id, [one, two])
    const afterwards = () => addFile(cx, apart.manager, apart.id, two)
    if (together) {
      await inBatch()
      await afterwards()
      assert.deepEqual(await paths(cx, batch), await paths(cx, apart), what)
      assert.equal((await paths(cx, batch)).length, 2, what)
    } else {
      await assert.rejects(inBatch, { code: 'duplicate_path' }, what)
      await assert.rejects(afterwards, { code: 'duplicate_path' }, what)
      assert.deepEqual(await paths(cx, batch), [], `nothing of the batch is left: ${what}`)
      assert.deepEqual(await paths(cx, apart), [first], what)
    }
  }
})

test('a batch is added whole or not at all', async (t) => {
  const cx = await testCx(t)
  const pkg = await makePackage(cx)
  await addFile(cx, pkg.manager, pkg.id, entry('x/taken'))
  const batch = [entry('x/free'), entry('x/taken'), entry('x/also free')]
  await assert.rejects(addFiles(cx, pkg.manager, pkg.id, batch), { code: 'duplicate_path', message: /'x\/taken'/ })
  await assert.rejects(addFiles(cx, pkg.manager, pkg.id, [entry('y'), entry('..')]), {
    code: 'validation_failed',
    details: [{ field: 'files/1/name', reason: 'must not be . or ..' }],
  })
  assert.deepEqual(await paths(cx, pkg), ['x/taken'])
})

test('small files of a batch get one request, large and unknown ones an upload, directories nothing', async (t) => {
  const cx = await testCx(t)
  const pkg = await makePackage(cx, { chunk_size: 6 * 2 ** 20 })
  const { size: _, ...unknown } = entry('unknown')
  const { files } = await addFiles(cx, pkg.manager, pkg.id, [
    { ...entry('empty'), size: 0 },
    { ...entry('one chunk'), size: 6 * 2 ** 20 },
    { ...entry('more'), size: 6 * 2 ** 20 + 1 },
    unknown,
    entry('folder', 'directory'),
  ])
  assert.deepEqual(
    files.map((file) => [file.file.name, file.put_blueprint?.method, file.create_blueprint?.method, file.file.state]),
    [
      ['empty', 'PUT', undefined, 'new'],
      ['one chunk', 'PUT', undefined, 'new'],
      ['more', undefined, 'POST', 'new'],
      ['unknown', undefined, 'POST', 'new'],
      ['folder', undefined, undefined, 'finalized'],
    ],
  )
})

test('keys in storage cannot be guessed and are never used twice', async (t) => {
  const cx = await testCx(t)
  const pkg = await makePackage(cx)
  const { files } = await addFiles(cx, pkg.manager, pkg.id, [entry('a'), entry('b')])
  const keys = files.map((file) => new URL(file.put_blueprint?.url ?? '').pathname.split('/').slice(2))
  for (const [index, [spread, team, packageId, fileId, secret]] of keys.entries()) {
    assert.match(spread ?? '', /^[0-9a-f]{2}$/)
    assert.deepEqual([team, packageId, fileId], [pkg.teamId, pkg.id, files[index]?.file.id])
    assert.match(secret ?? '', /^[\w-]{22}$/)
  }
  assert.notEqual(keys[0]?.[4], keys[1]?.[4])
})

test('add-file ∥ add-file at one path: the second waits and is refused', async (t) => {
  const cx = await testCx(t)
  const pkg = await makePackage(cx)
  const { first, second } = await race(
    cx,
    (cx) => addFile(cx, pkg.manager, pkg.id, entry('x/a')),
    (cx) => addFile(cx, pkg.manager, pkg.id, entry('x/a')),
  )
  await first
  await assert.rejects(second, { code: 'duplicate_path' })
  assert.deepEqual(await paths(cx, pkg), ['x/a'])
})

test('add-file ∥ add-file, a file and a folder of one name: the second waits and is refused', async (t) => {
  const cx = await testCx(t)
  const pkg = await makePackage(cx)
  const { first, second } = await race(
    cx,
    (cx) => addFile(cx, pkg.manager, pkg.id, entry('x')),
    (cx) => addFile(cx, pkg.manager, pkg.id, entry('x/a')),
  )
  await first
  await assert.rejects(second, { code: 'duplicate_path' })
  assert.deepEqual(await paths(cx, pkg), ['x'])
})

test('add-file ∥ add-file: when the first is lost, its place is free for the second', async (t) => {
  const cx = await testCx(t)
  const pkg = await makePackage(cx)
  const { first, second } = await race(
    cx,
    (cx) => addFile(cx, pkg.manager, pkg.id, entry('x')),
    (cx) => addFile(cx, pkg.manager, pkg.id, entry('x/a')),
    { failing: true },
  )
  await assert.rejects(first)
  await second
  assert.deepEqual(await paths(cx, pkg), ['x/a'])
})

test('the same idempotency key adds one file and answers it twice', async (t) => {
  const cx = await testCx(t)
  const pkg = await makePackage(cx)
  const once = { credential: 'package:1', key: 'k', request: 'r' }
  const [one, two] = [
    await addFile(cx, pkg.manager, pkg.id, entry('a'), once),
    await addFile(cx, pkg.manager, pkg.id, entry('a'), once),
  ]
  assert.deepEqual(two, one)
  assert.deepEqual(await paths(cx, pkg), ['a'])
})

test('who may only read adds nothing', async (t) => {
  const cx = await testCx(t)
  const pkg = await makePackage(cx)
  const reader = await callerFor(cx, pkg, 'read')
  await assert.rejects(addFile(cx, reader, pkg.id, entry('a')), { code: 'token_level_insufficient' })
  assert.deepEqual(await paths(cx, pkg), [])
})
