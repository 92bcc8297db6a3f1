import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { Readable } from 'node:stream'
import { addFile, chunkRequests, fileUrl, finalizeFile, listChunks } from '@longshore/contract/cloud/files'
import { readPackage } from '@longshore/contract/cloud/packages'
import { GiB, MiB } from '@longshore/contract/limits'
import { show, use } from '#calls'
import { send } from '#http'
import { test } from '#record'
import { openUpload, readThrough, store } from '#storage'
import { finalize, inFile, inPackage, makeLink, makePackage, managing, newFile, readTokenOf } from '#walk'

const size = 2 * GiB
const chunkSize = 100 * MiB
const atOnce = 3

// A file that is nowhere: each MiB of it is the same noise with its own number in front.
const noise = randomBytes(MiB)
function mebibyte(index: number): Buffer {
  const block = Buffer.from(noise)
  block.writeBigUInt64LE(BigInt(index))
  return block
}
function* blocks(start: number, end: number) {
  for (let at = start; at < end; at += MiB) yield mebibyte(at / MiB)
}

function sourceHash(): string {
  const hash = createHash('sha256')
  for (const block of blocks(0, size)) hash.update(block)
  return hash.digest('hex')
}

test('a file of 2 GiB goes up in chunks of 100 MiB, a few at once, and comes down the same', async () => {
  const pkg = await makePackage()
  const body = newFile({ name: 'A001_C001_2026.mxf', size })
  const added = await use(addFile, { params: inPackage(pkg), body }, managing(pkg))
  assert.equal(added.file.chunk_size, chunkSize)
  const uploadId = await openUpload(added.create_blueprint)
  const count = Math.ceil(size / chunkSize)
  const blueprints = await use(
    chunkRequests,
    { params: inFile(added), query: { start: 0, count: 1_000 }, body: { upload_id: uploadId } },
    managing(pkg),
  )
  assert.equal(blueprints.length, count)

  const etags: string[] = []
  const queue = blueprints.entries()
  const lane = async () => {
    for (const [index, blueprint] of queue) {
      const [start, end] = [index * chunkSize, Math.min(size, (index + 1) * chunkSize)]
      etags[index] = await store(blueprint, { stream: Readable.from(blocks(start, end)), length: end - start })
    }
  }
  await Promise.all(Array.from({ length: atOnce }, lane))
  const { chunks } = await show(listChunks, { params: inFile(added) }, managing(pkg))
  assert.equal(
    chunks.reduce((bytes, chunk) => bytes + chunk.size, 0),
    size,
  )
  const claim = {
    chunk_extras: etags.map((etag, index) => ({ part_number: String(index + 1), etag })),
    file_extras: { upload_id: uploadId },
    size,
    chunk_size: chunkSize,
  }
  await show(finalizeFile, { params: inFile(added), body: claim }, managing(pkg))
  await finalize(pkg)
  assert.equal((await use(readPackage, { params: inPackage(pkg) }, managing(pkg))).size, size)

  const token = await readTokenOf(await makeLink(pkg))
  const { url } = await show(fileUrl, { params: inFile(added) }, { as: { packageToken: token } })
  // A piece across the border of two chunks, as a download that was interrupted asks for it.
  const start = 3 * chunkSize - 10
  const piece = await send({ method: 'GET', url, headers: [['range', `bytes=${start}-${start + 19}`]] })
  const [before, after] = [mebibyte((3 * chunkSize) / MiB - 1), mebibyte((3 * chunkSize) / MiB)]
  assert.equal(piece.status, 206)
  assert.ok(piece.body.equals(Buffer.concat([before.subarray(-10), after.subarray(0, 10)])))
  const { length, hash } = await readThrough(url)
  assert.equal(length, size)
  assert.equal(hash.digest('hex'), sourceHash())
  assert.ok(process.memoryUsage().rss < 600 * MiB, `${Math.round(process.memoryUsage().rss / MiB)} MiB`)
})
