import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { mkdir, mkdtemp, readdir, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { type TestContext, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { packageCalls } from '@longshore/client/package-calls'
import { listChunks, listFiles } from '@longshore/contract/cloud/files'
import { createLink, lookUpLink } from '@longshore/contract/cloud/links'
import { MiB } from '@longshore/contract/limits'
import type { DownloadNote } from '@longshore/transfer/download-journal'
import { downloadPackage } from '@longshore/transfer/download-package'
import { createLanePool } from '@longshore/transfer/lane-pool'
import { clock, createReceive, fileJournal, foundIn, hasher, openPart, remove } from '#engine-host'
import type { Errand, Said } from '#engine-sender'
import { type Ground, newGround } from '#ground'
import { type OpenPackage, openPackage } from '#sender'

const chunkSize = 5 * MiB
const sizes = { large: 110 * MiB + 1, small: 70_000, empty: 0 }
type Name = keyof typeof sizes

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')

async function folderFor(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'longshore-engine-'))
  t.after(() => remove(folder))
  return folder
}

/** Runs the sender until it ends, or until it has sent so much and is killed. Answers the last that it said. */
async function run(errand: Errand, killAfter = Number.POSITIVE_INFINITY): Promise<Said | undefined> {
  const script = fileURLToPath(new URL('./engine-sender.ts', import.meta.url))
  const child = spawn(process.execPath, [script, JSON.stringify(errand)], { stdio: ['ignore', 'pipe', 'inherit'] })
  let last: Said | undefined
  for await (const line of createInterface(child.stdout)) {
    last = JSON.parse(line) as Said
    if (last.sent >= killAfter) child.kill('SIGKILL')
  }
  return last
}

/** Bytes of the large file that storage has. */
async function storedOf(ground: Ground, pkg: OpenPackage): Promise<number> {
  const params = { package_id: pkg.id }
  const files = await ground.client.call(listFiles, { params }, { credential: pkg.token })
  const large = files.find(({ name }) => name === 'large')
  if (large === undefined) return 0
  const { chunks } = await ground.client.call(
    listChunks,
    { params: { ...params, file_id: large.id } },
    { credential: pkg.token },
  )
  return chunks.reduce((sum, { size }) => sum + size, 0)
}

test('an upload that is killed twice sends nothing again that storage has, and arrives byte for byte', async (t) => {
  const ground = await newGround(t)
  const folder = await folderFor(t)
  const pkg = await openPackage(ground)
  const hashes = new Map<string, string>()
  for (const [name, size] of Object.entries(sizes)) {
    const bytes = randomBytes(size)
    hashes.set(name, sha256(bytes))
    await writeFile(join(folder, name), bytes)
  }
  const errand: Errand = {
    url: ground.url,
    packageId: pkg.id,
    token: pkg.token.packageToken,
    journal: join(folder, 'journal'),
    chunkSize,
    files: (Object.keys(sizes) as Name[]).map((name) => ({ name, path: join(folder, name) })),
  }

  await run(errand, 30 * MiB)
  const afterFirst = await storedOf(ground, pkg)
  assert.ok(afterFirst > 0 && afterFirst < sizes.large, 'it was killed in the middle')
  await run(errand, 30 * MiB)
  const afterSecond = await storedOf(ground, pkg)
  assert.ok(afterSecond > afterFirst, 'the second run went on')
  const last = await run(errand)

  assert.ok(last !== undefined && 'state' in last && last.state === 'complete')
  // Storage may have kept a chunk that was still arriving when we asked it, so it can be less.
  const most = sizes.large - afterSecond + sizes.small
  assert.ok(last.sent <= most, `${last.sent} bytes sent where at most ${most} were missing`)
  await arrives(t, ground, pkg, hashes)
})

/** Downloads the package, pausing once in the middle, and compares what is there. */
async function arrives(t: TestContext, ground: Ground, pkg: OpenPackage, hashes: ReadonlyMap<string, string>) {
  const folder = await folderFor(t)
  await mkdir(join(folder, 'to'))
  const link = await ground.client.call(createLink, { params: { package_id: pkg.id } }, { credential: pkg.token })
  const found = await ground.client.call(
    lookUpLink,
    { params: { link_id: link.id }, query: { secret: link.secret } },
    { credential: undefined },
  )
  const token = found.package_token
  const listed = await ground.client.call(
    listFiles,
    { params: { package_id: pkg.id } },
    { credential: { packageToken: token } },
  )
  const wanted = listed.filter(({ kind }) => kind === 'file')
  let fetched = 0
  const download = (pauseAfter: number) => {
    const stop = new AbortController()
    const receive = createReceive((bytes) => {
      fetched += bytes
      if (fetched > pauseAfter) stop.abort(new Error('paused'))
    })
    const files = async function* () {
      for (const [n, { id, name, size = 0 }] of wanted.entries()) {
        const to = join(folder, 'to')
        const open = () => openPart(to, name)
        yield { n, id, size, sha256: hashes.get(name), found: () => foundIn(to, name), open }
      }
    }
    const host = {
      clock,
      chance: Math.random,
      lanes: createLanePool(clock, { least: 1, most: 4, first: 4 }),
      files: files(),
      calls: packageCalls(ground.client, pkg.id, token),
      receive,
      hasher,
      journal: fileJournal<DownloadNote>(join(folder, 'journal')),
      boot: 'this one',
    }
    return downloadPackage(host, {}, stop.signal)
  }
  assert.deepEqual(await download(40 * MiB), { state: 'paused' })
  assert.deepEqual(await download(Number.POSITIVE_INFINITY), { state: 'complete' })
  for (const [name, hash] of hashes) assert.equal(sha256(await readFile(join(folder, 'to', name))), hash, name)
  assert.deepEqual((await readdir(join(folder, 'to'))).sort(), [...hashes.keys()].sort())
}
