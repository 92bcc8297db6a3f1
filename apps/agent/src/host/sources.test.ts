import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { appendFile, chmod, mkdir, mkdtemp, rename, rm, symlink, utimes, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { promisify } from 'node:util'
import { HostFault } from '@longshore/transfer/faults'
import { sourceFile } from '#host/source-file'
import { type Found, findSources } from '#host/sources'

async function folderFor(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'longshore-sources-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  return folder
}

async function all(...paths: string[]): Promise<{ sent: string[]; skipped: Record<string, string> }> {
  const found: Found[] = []
  for await (const one of findSources(paths)) found.push(one)
  const place = ({ path, name }: { path: string; name: string }) => (path === '' ? name : `${path}/${name}`)
  return {
    sent: found.flatMap((one) => (one.kind === 'source' ? [`${one.source.kind} ${place(one.source)}`] : [])),
    skipped: Object.fromEntries(
      found.flatMap((one) => (one.kind === 'skipped' ? [[place(one.skipped), one.skipped.reason]] : [])),
    ),
  }
}

async function onlySource(path: string) {
  for await (const found of findSources([path])) {
    if (found.kind === 'source' && found.source.kind === 'file') return found.source
  }
  throw new Error('There is none.')
}

const faultOf = (code: string) => (error: unknown) => error instanceof HostFault && error.code === code

test('a folder is sent under its own name, with its folders, in the order of names', async (t) => {
  const folder = await folderFor(t)
  await mkdir(join(folder, 'Rushes/b/empty'), { recursive: true })
  for (const name of ['Rushes/z.mov', 'Rushes/a.mov', 'Rushes/b/c.wav', 'loose.txt']) {
    await writeFile(join(folder, name), name)
  }

  assert.deepEqual(await all(join(folder, 'loose.txt'), join(folder, 'Rushes/')), {
    sent: [
      'file loose.txt',
      'directory Rushes',
      'file Rushes/a.mov',
      'directory Rushes/b',
      'file Rushes/b/c.wav',
      'directory Rushes/b/empty',
      'file Rushes/z.mov',
    ],
    skipped: {},
  })
})

test('what systems leave in folders is skipped and told, but sent when it is named', async (t) => {
  const folder = await folderFor(t)
  for (const name of ['.DS_Store', 'Desktop.ini', 'Thumbs.db', '.hidden']) await writeFile(join(folder, name), '')

  const { sent, skipped } = await all(folder)
  assert.equal(sent.length, 2)
  assert.ok(sent[1]?.endsWith('.hidden'))
  assert.equal(Object.keys(skipped).length, 3)
  assert.deepEqual((await all(join(folder, 'Thumbs.db'))).sent, ['file Thumbs.db'])
})

test('96: links out of the folder, loops, pipes, sockets and devices are not sent, and told', async (t) => {
  const folder = await folderFor(t)
  const root = join(folder, 'root')
  await mkdir(join(root, 'sub'), { recursive: true })
  await writeFile(join(folder, 'secret'), 'secret')
  await writeFile(join(root, 'sub/inside'), 'inside')
  const links = {
    'to-shadow': '/etc/shadow',
    'to-outside': '../secret',
    'to-folder-outside': '..',
    'to-itself': 'to-itself',
    'to-nothing': 'nothing',
    'to-parent': '.',
    'to-file-inside': 'sub/inside',
  }
  for (const [name, target] of Object.entries(links)) await symlink(target, join(root, name))
  await promisify(execFile)('mkfifo', [join(root, 'pipe')])
  const socket = createServer().listen(join(root, 'socket'))
  t.after(() => socket.close())

  const { sent, skipped } = await all(root)
  assert.deepEqual(sent, ['directory root', 'directory root/sub', 'file root/sub/inside', 'file root/to-file-inside'])
  assert.deepEqual(
    Object.keys(skipped).sort(),
    [...Object.keys(links).filter((name) => name !== 'to-file-inside'), 'pipe', 'socket']
      .map((name) => `root/${name}`)
      .sort(),
  )
  assert.match(skipped['root/to-parent'] ?? '', /under its own name/)
  assert.match(skipped['root/to-folder-outside'] ?? '', /leads out/)
})

test('a name that is no UTF-8 is not sent, and told as what it is', {
  skip: process.platform !== 'linux',
}, async (t) => {
  const folder = await folderFor(t)
  await writeFile(Buffer.concat([Buffer.from(`${folder}/M`), Buffer.of(0xfc), Buffer.from('ll.mov')]), 'Latin-1')
  const { sent, skipped } = await all(folder)
  assert.equal(sent.length, 1)
  assert.match(Object.values(skipped)[0] ?? '', /no UTF-8/)
})

test('96: a folder that becomes a link after it was looked through is not followed', async (t) => {
  const folder = await folderFor(t)
  await mkdir(join(folder, 'root/sub'), { recursive: true })
  await mkdir(join(folder, 'elsewhere'))
  await writeFile(join(folder, 'root/sub/a'), 'mine')
  await writeFile(join(folder, 'elsewhere/a'), 'not mine')
  const source = sourceFile(0, await onlySource(join(folder, 'root')))
  await rm(join(folder, 'root/sub'), { recursive: true })
  await symlink('../elsewhere', join(folder, 'root/sub'))

  await assert.rejects(source.open(), faultOf('source_changed'))
})

test('names that no package can hold are skipped and told', async (t) => {
  const folder = await folderFor(t)
  await mkdir(join(folder, 'root'))
  for (const name of ['back\\slash', 'line\nbreak', 'fine']) await writeFile(join(folder, 'root', name), '')

  const { sent, skipped } = await all(join(folder, 'root'))
  assert.deepEqual(sent, ['directory root', 'file root/fine'])
  assert.match(skipped['root/back\\slash'] ?? '', /backslash/)
  assert.match(skipped['root/line\nbreak'] ?? '', /control characters/)
})

test('a named path that is not there is an error; two of the same name are not poured together', async (t) => {
  const folder = await folderFor(t)
  await assert.rejects(all(join(folder, 'nothing')), faultOf('source_gone'))
  await mkdir(join(folder, 'one/same'), { recursive: true })
  await mkdir(join(folder, 'two/same'), { recursive: true })

  const { sent, skipped } = await all(join(folder, 'one/same'), join(folder, 'two/same'))
  assert.deepEqual(sent, ['directory same'])
  assert.match(skipped['same'] ?? '', /already/)
})

test('a source is another one after it grew, was replaced or got another time; a rename away is told as gone', async (t) => {
  const folder = await folderFor(t)
  const path = join(folder, 'a')
  await writeFile(path, 'first')
  const source = sourceFile(0, await onlySource(path))
  const open = await source.open()
  t.after(() => open.close())
  const identities = new Set([source.identity, open.identity, (await open.look()).identity])
  assert.equal(identities.size, 1, 'the same as long as nothing happens')

  await appendFile(path, '!')
  identities.add((await open.look()).identity)
  await utimes(path, new Date(), new Date(0))
  identities.add((await open.look()).identity)
  await writeFile(join(folder, 'b'), 'first!')
  await utimes(join(folder, 'b'), new Date(), new Date(0))
  await rename(join(folder, 'b'), path)
  identities.add((await open.look()).identity)
  assert.equal(identities.size, 4)

  await rename(path, join(folder, 'c'))
  await assert.rejects(open.look(), faultOf('source_gone'))
  await assert.rejects(source.open(), faultOf('source_gone'))
})

test('a source that may not be read says so', async (t) => {
  const folder = await folderFor(t)
  await chmod(folder, 0o755)
  const path = join(folder, 'a')
  await writeFile(path, 'mine')
  const source = sourceFile(0, await onlySource(path))
  await chmod(path, 0)
  await asNobody(() => assert.rejects(source.open(), faultOf('source_unreadable')))
})

/** Root may read everything, so root is somebody else for a moment. */
async function asNobody(work: () => Promise<void>): Promise<void> {
  if (process.geteuid?.() !== 0) return work()
  process.seteuid?.(65_534)
  try {
    await work()
  } finally {
    process.seteuid?.(0)
  }
}
