import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { mkdir, opendir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { promisify } from 'node:util'

/** One program that people open archives with: how it tests one, and how it unpacks one. */
interface Unpacker {
  readonly name: string
  test(archive: string): readonly string[]
  unpack(archive: string, folder: string): readonly string[]
}

const pythonTest = 'import sys, zipfile; bad = zipfile.ZipFile(sys.argv[1]).testzip(); sys.exit(bad)'
const pythonUnpack = 'import sys, zipfile; zipfile.ZipFile(sys.argv[1]).extractall(sys.argv[2])'

const unpackers: readonly Unpacker[] = [
  {
    name: 'unzip',
    test: (archive) => ['unzip', '-tqq', archive],
    unpack: (archive, folder) => ['unzip', '-qq', archive, '-d', folder],
  },
  {
    name: '7z',
    test: (archive) => ['7z', 't', '-bd', archive],
    unpack: (archive, folder) => ['7z', 'x', '-bd', `-o${folder}`, archive],
  },
  {
    name: 'Python',
    test: (archive) => ['/usr/bin/python3', '-c', pythonTest, archive],
    unpack: (archive, folder) => ['/usr/bin/python3', '-c', pythonUnpack, archive, folder],
  },
  {
    name: 'bsdtar',
    test: (archive) => ['bsdtar', '-tf', archive],
    unpack: (archive, folder) => ['bsdtar', '-xf', archive, '-C', folder],
  },
]

/** What one program made of an archive: a folder ends with a slash, a file has its SHA-256. */
export interface Unpacked {
  readonly by: string
  readonly entries: ReadonlyMap<string, string>
}

/** Tests and unpacks an archive with every program. One that complains ends it. */
export async function* unpackByAll(archive: string, folder: string): AsyncGenerator<Unpacked> {
  for (const { name, test, unpack } of unpackers) {
    const own = join(folder, name)
    await mkdir(own, { recursive: true })
    await run(test(archive))
    await run(unpack(archive, own))
    yield { by: name, entries: await entriesOf(own) }
    await rm(own, { recursive: true })
  }
}

/** Tests an archive with every program, without keeping what is in it. */
export async function testByAll(archive: string): Promise<void> {
  for (const { test } of unpackers) await run(test(archive))
}

async function run([file = '', ...args]: readonly string[]): Promise<void> {
  // Names beyond ASCII are unpacked as they are only where the locale can say them.
  const env = { PATH: '/usr/bin:/bin', LC_ALL: 'C.UTF-8' }
  await promisify(execFile)(file, args, { env, maxBuffer: 1 << 28 })
}

async function entriesOf(root: string): Promise<ReadonlyMap<string, string>> {
  const entries = new Map<string, string>()
  for await (const entry of await opendir(root, { recursive: true })) {
    const path = join(entry.parentPath, entry.name)
    const within = path.slice(root.length + 1)
    if (entry.isDirectory()) entries.set(`${within}/`, '')
    else entries.set(within, await digestOf(path))
  }
  return entries
}

async function digestOf(path: string): Promise<string> {
  const hash = createHash('sha256')
  await pipeline(createReadStream(path, { highWaterMark: 1 << 20 }), hash)
  return hash.digest('hex')
}
