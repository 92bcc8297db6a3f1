import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import {
  link,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  realpath,
  rm,
  stat,
  symlink,
  unlink,
  writeFile,
} from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { promisify } from 'node:util'
import { HostFault } from '@longshore/transfer/faults'
import { type ArrivingFile, makePackageFolder, openDestination } from '#host/destination'
import type { OnConflict } from '#host/give-name'
import { onDisk } from '#host/open-file'
import { swapForLink } from '#test-kit/swapping'

const time = '2020-02-03T04:05:06.789Z'

async function setting(t: TestContext, onConflict: OnConflict = 'rename') {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'longshore-destination-')))
  t.after(() => rm(folder, { recursive: true, force: true }))
  const root = join(folder, 'in')
  const open = () => openDestination({ root, transfer: 't1', onConflict })
  const destination = await open()
  t.after(() => destination.close())
  return { folder, root, destination, open }
}

const arriving = (path: string, name: string, text = 'new'): ArrivingFile => ({
  n: 7,
  id: 'file-7',
  path,
  name,
  size: text.length,
  lastModified: time,
})

type Place = Awaited<ReturnType<typeof setting>>['destination']

async function arrive(destination: Place, file: ArrivingFile, text = 'new'): Promise<void> {
  const part = await destination.wanted(file).open()
  try {
    await onDisk(part).handle.write(text, 0)
    await part.seal()
    await part.commit()
  } finally {
    await part.close()
  }
}

const isRefused = (error: unknown) => error instanceof HostFault && error.code === 'destination_refused'

const tree = async (root: string) => (await readdir(root, { recursive: true })).sort()

test('where no folder can be made is told at once', { skip: process.platform !== 'linux' }, async () => {
  // Answers like an automounter whose share is away.
  const root = '/proc/inbox/today'
  await assert.rejects(openDestination({ root, transfer: 't1', onConflict: 'rename' }), isRefused)
})

test('a file arrives with its folders, its bytes and its time, and nothing else is left', async (t) => {
  const { root, destination } = await setting(t)
  await destination.makeFolder({ path: 'Rushes', name: 'empty' })
  await arrive(destination, arriving('Rushes/Day 1', 'a.mov'))

  assert.deepEqual(await tree(root), ['Rushes', 'Rushes/Day 1', 'Rushes/Day 1/a.mov', 'Rushes/empty'])
  assert.equal(await readFile(join(root, 'Rushes/Day 1/a.mov'), 'utf8'), 'new')
  const { mtime, mode } = await stat(join(root, 'Rushes/Day 1/a.mov'))
  assert.equal(mtime.toISOString(), time)
  assert.equal(mode & 0o111, 0, 'nothing that arrives can be run')
})

test('until it is whole a file has no name; a later run finds its part, then what it made', async (t) => {
  const { root, destination, open } = await setting(t)
  const file = arriving('', 'a')
  const wanted = destination.wanted(file)
  assert.equal(await wanted.found(), 'nothing')
  const part = await wanted.open()
  await part.close()
  assert.ok((await tree(root)).every((name) => name.startsWith('.')))

  const later = await open()
  t.after(() => later.close())
  assert.equal(await later.wanted(file).found(), 'part')
  await arrive(later, file)
  assert.equal(await later.wanted(file).found(), 'finished')
  assert.deepEqual(await tree(root), ['a'])
})

test('a file that stood there before is not taken for the one that arrives', async (t) => {
  const { root, destination } = await setting(t)
  await writeFile(join(root, 'a'), 'old')
  assert.equal(await destination.wanted(arriving('', 'a')).found(), 'nothing')
})

test('killed between the new name and the removal of the old, it is finished', async (t) => {
  const { root, destination } = await setting(t)
  const wanted = destination.wanted(arriving('', 'a'))
  await (await wanted.open()).close()
  const [part = ''] = await tree(root)
  await writeFile(join(root, 'a'), 'somebody else’s')
  await link(join(root, part), join(root, 'a (2)'))

  assert.equal(await wanted.found(), 'finished')
  assert.deepEqual(await tree(root), ['a', 'a (2)'])
})

test('95: rename keeps what stands there and numbers the new one', async (t) => {
  const { root, destination } = await setting(t, 'rename')
  await writeFile(join(root, 'a.txt'), 'old')
  await arrive(destination, arriving('', 'a.txt'))
  await arrive(destination, { ...arriving('', 'a.txt'), n: 8 })

  assert.deepEqual(await tree(root), ['a (2).txt', 'a (3).txt', 'a.txt'])
  assert.equal(await readFile(join(root, 'a.txt'), 'utf8'), 'old')
  assert.equal(await readFile(join(root, 'a (2).txt'), 'utf8'), 'new')
})

test('95: skip keeps what stands there and leaves nothing beside it', async (t) => {
  const { root, destination } = await setting(t, 'skip')
  await writeFile(join(root, 'a.txt'), 'old')
  assert.equal(await destination.stands({ path: '', name: 'a.txt' }), true)
  assert.equal(await destination.stands({ path: 'b', name: 'a.txt' }), false)
  await arrive(destination, arriving('', 'a.txt'))

  assert.deepEqual(
    (await tree(root)).filter((name) => name.startsWith('a')),
    ['a.txt'],
  )
  assert.equal(await readFile(join(root, 'a.txt'), 'utf8'), 'old')
})

test('95: overwrite replaces a file in one step, and nothing but a file', async (t) => {
  const { root, destination } = await setting(t, 'overwrite')
  await writeFile(join(root, 'a.txt'), 'old')
  await arrive(destination, arriving('', 'a.txt'))
  assert.equal(await readFile(join(root, 'a.txt'), 'utf8'), 'new')

  await mkdir(join(root, 'folder'))
  await assert.rejects(arrive(destination, arriving('', 'folder')), isRefused)
  assert.ok((await stat(join(root, 'folder'))).isDirectory())
})

for (const onConflict of ['rename', 'skip', 'overwrite'] as const) {
  test(`94: with ${onConflict}, a link, a hard link or a pipe at the target is not written through`, async (t) => {
    const { folder, root, destination } = await setting(t, onConflict)
    await writeFile(join(folder, 'precious'), 'precious')
    await symlink('../precious', join(root, 'link'))
    await link(join(folder, 'precious'), join(root, 'hard'))
    await promisify(execFile)('mkfifo', [join(root, 'pipe')])
    for (const [n, name] of ['link', 'hard', 'pipe'].entries()) {
      // Refused or put elsewhere, as the policy says.
      await arrive(destination, { ...arriving('', name), n }).catch((error: unknown) => assert.ok(isRefused(error)))
    }
    assert.equal(await readFile(join(folder, 'precious'), 'utf8'), 'precious')
    assert.deepEqual((await readdir(folder)).sort(), ['in', 'precious'])
  })
}

test('94: a link, a hard link or a pipe in place of the part file is refused', async (t) => {
  const { folder, root, destination } = await setting(t)
  await writeFile(join(folder, 'precious'), 'precious')
  const part = join(root, '.longshore-t1-7.part')
  for (const plant of [
    () => symlink('../precious', part),
    () => link(join(folder, 'precious'), part),
    () => promisify(execFile)('mkfifo', [part]),
  ]) {
    await plant()
    await assert.rejects(arrive(destination, arriving('', 'a')), isRefused)
    await unlink(part)
  }
  assert.equal(await readFile(join(folder, 'precious'), 'utf8'), 'precious')
})

test('92: a folder that is a link is refused, wherever it leads', async (t) => {
  const { folder, root, destination } = await setting(t)
  await mkdir(join(folder, 'elsewhere'))
  await mkdir(join(root, 'real'))
  for (const [name, target] of Object.entries({ a: '/', b: '../elsewhere', c: 'real' })) {
    await symlink(target, join(root, name))
    await assert.rejects(arrive(destination, arriving(name, 'x')), isRefused)
    await assert.rejects(destination.makeFolder({ path: name, name: 'made' }), isRefused)
  }
  assert.deepEqual(await tree(join(folder, 'elsewhere')), [])
  assert.deepEqual(await tree(join(root, 'real')), [])
})

test('81: the same names that the server refuses are refused here', async (t) => {
  const { folder, destination } = await setting(t)
  for (const [path, name] of [
    ['', '../x'],
    ['..', 'x'],
    ['a/../..', 'x'],
    ['/etc', 'x'],
  ] as const) {
    await assert.rejects(arrive(destination, arriving(path, name)), isRefused)
  }
  assert.deepEqual(await readdir(folder), ['in'])
})

test('91: .ssh/authorized_keys stays inside the folder like everything else', async (t) => {
  const { folder, root, destination } = await setting(t)
  await arrive(destination, arriving('.ssh', 'authorized_keys'))
  assert.deepEqual(await tree(root), ['.ssh', '.ssh/authorized_keys'])
  assert.deepEqual(await readdir(folder), ['in'])
})

test('93: a link that is swapped in again and again between two steps never leads a file out', async (t) => {
  const { folder, root, destination, open } = await setting(t)
  await mkdir(join(folder, 'outside'))
  await destination.makeFolder({ path: 'a', name: 'b' })
  const stop = swapForLink(t, root, '../outside')
  const refused: unknown[] = []
  let tries = 0
  for (const until = Date.now() + 20_000; tries < 1_000 || (refused.length === 0 && Date.now() < until); tries++) {
    const one = await open()
    await arrive(one, { ...arriving('a/b', `f${tries}`), n: tries }).catch((error: unknown) => refused.push(error))
    await one.close()
  }
  await stop()
  assert.deepEqual(await tree(join(folder, 'outside')), [])
  assert.ok(refused.length > 0, 'it met the link at least once')
  for (const error of refused) assert.ok(isRefused(error), String(error))
  t.diagnostic(`${refused.length} of ${tries} met the link`)
})

test('a folder for a package is a new one', async (t) => {
  const { root } = await setting(t)
  assert.equal(await makePackageFolder(root, 'Rushes'), join(root, 'Rushes'))
  assert.equal(await makePackageFolder(root, 'Rushes'), join(root, 'Rushes (2)'))
})

test('88: names that differ in case or form alone both arrive', async (t) => {
  const { root, destination } = await setting(t, 'overwrite')
  const names = ['A', 'a', 'é', 'e\u0301', 'ß', 'ss', 'ﬁ', 'fi']
  for (const [n, name] of names.entries()) await arrive(destination, { ...arriving('', name, name), n }, name)

  const bytes = await Promise.all((await tree(root)).map((name) => readFile(join(root, name), 'utf8')))
  assert.deepEqual(bytes.sort(), names.toSorted())
})

test('below a root that must be there nothing is written where it is missing, or a link', async (t) => {
  const { folder, root } = await setting(t)
  const below = (within: string) =>
    openDestination({ root: within, below: 'in/Rushes', transfer: 't1', onConflict: 'rename' })
  await assert.rejects(below(join(folder, 'unmounted')), isRefused)
  await symlink(root, join(folder, 'turned'))
  await assert.rejects(below(join(folder, 'turned')), isRefused)
  await assert.rejects(
    openDestination({ root, below: '../elsewhere', transfer: 't1', onConflict: 'rename' }),
    isRefused,
  )
  const destination = await below(root)
  t.after(() => destination.close())
  await arrive(destination, arriving('Day 1', 'a.mov'))
  assert.deepEqual(await tree(root), ['in', 'in/Rushes', 'in/Rushes/Day 1', 'in/Rushes/Day 1/a.mov'])
  assert.deepEqual(await readdir(folder), ['in', 'turned'])
})

test('what is given up is forgotten without making the folders it would have gone to', async (t) => {
  const { root, destination } = await setting(t)
  await destination.forget({ n: 1, path: 'never/made', name: 'a' })
  assert.deepEqual(await tree(root), [])
  const part = await destination.wanted(arriving('made', 'b')).open()
  await part.close()
  await destination.forget({ n: 7, path: 'made', name: 'b' })
  assert.deepEqual(await tree(root), ['made'])
})

const isRoot = process.geteuid?.() === 0

test('files and the folders made for them get their owner, and nothing that stood there does', {
  skip: !isRoot && 'only root may give files away',
}, async (t) => {
  const { root } = await setting(t)
  await mkdir(join(root, 'before'))
  const owner = { user: 12_345, group: -1 }
  const options = { root, below: 'before/made', owner, transfer: 't1', onConflict: 'rename' } as const
  const destination = await openDestination(options)
  t.after(() => destination.close())
  await arrive(destination, arriving('deep', 'a.mov'))
  const ownerOf = async (path: string) => (await stat(join(root, path))).uid
  assert.deepEqual(
    await Promise.all(['before', 'before/made', 'before/made/deep', 'before/made/deep/a.mov'].map(ownerOf)),
    [0, 12_345, 12_345, 12_345],
  )
  assert.equal((await stat(join(root, 'before/made/deep/a.mov'))).gid, process.getegid?.())
})
