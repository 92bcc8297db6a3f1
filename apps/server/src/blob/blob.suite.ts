import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { after, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Blob } from '#blob/port'
import { ObjectGone, StorageRefusal, UploadGone } from '#blob/storage-errors'

/** What an implementation lends to the suite: itself, and the client's side of an upload. */
export interface BlobUnderTest {
  /** With pages of two, so that paging is tried with a handful of objects. */
  readonly blob: Blob
  beginUpload(key: string): Promise<string>
  /** Sends one part and returns its ETag without quotes. */
  sendPart(key: string, uploadId: string, partNumber: number, body: Uint8Array): Promise<string>
}

const smallestPart = 5 * 2 ** 20

/** What every implementation of the port must do. */
export function blobSuite(name: string, subject: BlobUnderTest): void {
  const { blob } = subject
  const root = `suite/${randomBytes(16).toString('hex')}/`
  let made = 0
  const freshKey = () => `${root}${String((made += 1)).padStart(4, '0')}`

  describe(name, { concurrency: true }, () => {
    after(async () => {
      for await (const { key, uploadId } of blob.openUploads(root)) await blob.abort(key, uploadId)
      await blob.remove((await all(blob.list(root))).map(({ key }) => key))
      assert.deepEqual(await all(blob.openUploads(root)), [])
      assert.deepEqual(await all(blob.list(root)), [])
    })

    test('parts are listed in order, with size and ETag, over several pages', async () => {
      const key = freshKey()
      const uploadId = await subject.beginUpload(key)
      const bodies = [3, 1, 5, 2, 4].map((number) => ({ number, body: Buffer.from(`part ${number}`) }))
      for (const { number, body } of bodies) await subject.sendPart(key, uploadId, number, body)

      const parts = await blob.listParts(key, uploadId)

      const expected = bodies
        .toSorted((a, b) => a.number - b.number)
        .map(({ number, body }) => ({ partNumber: number, etag: md5(body), size: body.length }))
      assert.deepEqual(parts, expected)
    })

    test('an upload without parts has an empty list, an unknown one has none', async () => {
      const key = freshKey()
      const uploadId = await subject.beginUpload(key)
      assert.deepEqual(await blob.listParts(key, uploadId), [])
      assert.equal(await blob.listParts(key, '2~unknown-upload-id-000000000000000'), undefined)
      assert.equal(await blob.listParts(freshKey(), uploadId), undefined)
    })

    test('completing joins the parts in the order of their numbers', async () => {
      const key = freshKey()
      const uploadId = await subject.beginUpload(key)
      const first = randomBytes(smallestPart)
      const second = Buffer.from('the rest')
      const etags = [await subject.sendPart(key, uploadId, 1, first), await subject.sendPart(key, uploadId, 2, second)]
      assert.equal(await blob.head(key), undefined)

      const { etag } = await blob.complete(key, uploadId, [
        { partNumber: 2, etag: etags[1] ?? '' },
        { partNumber: 1, etag: etags[0] ?? '' },
      ])

      const expected = `${md5(Buffer.concat([first, second].map((body) => Buffer.from(md5(body), 'hex'))))}-2`
      assert.ok(etag === undefined || etag === expected)
      assert.deepEqual(await blob.head(key), { etag: expected, size: smallestPart + second.length })
      assert.equal(md5(await bytesOf(blob.read(key))), md5(Buffer.concat([first, second])))
      assert.equal(await blob.listParts(key, uploadId), undefined)
    })

    test('a zero-byte file is one empty part', async () => {
      const key = freshKey()
      const uploadId = await subject.beginUpload(key)
      const etag = await subject.sendPart(key, uploadId, 1, new Uint8Array())
      await blob.complete(key, uploadId, [{ partNumber: 1, etag }])
      assert.equal((await blob.head(key))?.size, 0)
      assert.equal((await bytesOf(blob.read(key))).length, 0)
    })

    test('completing twice succeeds again or says that the upload is gone, and the object stays', async () => {
      const key = freshKey()
      const uploadId = await subject.beginUpload(key)
      const parts = [{ partNumber: 1, etag: await subject.sendPart(key, uploadId, 1, Buffer.from('once')) }]
      await blob.complete(key, uploadId, parts)
      const before = await blob.head(key)

      await blob.complete(key, uploadId, parts).catch((error: unknown) => assert.ok(error instanceof UploadGone))

      assert.deepEqual(await blob.head(key), before)
    })

    test('completing an unknown or aborted upload says that it is gone, and makes nothing', async () => {
      const key = freshKey()
      const uploadId = await subject.beginUpload(key)
      const parts = [{ partNumber: 1, etag: await subject.sendPart(key, uploadId, 1, Buffer.from('never')) }]
      await blob.abort(key, uploadId)

      await assert.rejects(blob.complete(key, uploadId, parts), UploadGone)
      await assert.rejects(blob.complete(key, '2~unknown-upload-id-000000000000000', parts), UploadGone)
      assert.equal(await blob.head(key), undefined)
    })

    test('completing with a wrong ETag or a part that is not there is refused, and the upload lives on', async () => {
      const key = freshKey()
      const uploadId = await subject.beginUpload(key)
      const etag = await subject.sendPart(key, uploadId, 1, Buffer.from('right'))
      for (const parts of [
        [{ partNumber: 1, etag: md5(Buffer.from('wrong')) }],
        [
          { partNumber: 1, etag },
          { partNumber: 2, etag },
        ],
      ]) {
        await assert.rejects(blob.complete(key, uploadId, parts), { name: 'StorageRefusal', code: 'InvalidPart' })
      }
      assert.equal(await blob.head(key), undefined)
      assert.equal((await blob.listParts(key, uploadId))?.length, 1)
    })

    test('completing with a part that is too small before the last is refused by its name', async () => {
      const key = freshKey()
      const uploadId = await subject.beginUpload(key)
      const etags = [
        await subject.sendPart(key, uploadId, 1, Buffer.from('a')),
        await subject.sendPart(key, uploadId, 2, Buffer.from('b')),
      ]
      await assert.rejects(
        blob.complete(
          key,
          uploadId,
          etags.map((etag, index) => ({ partNumber: index + 1, etag })),
        ),
        { name: 'StorageRefusal', code: 'EntityTooSmall' },
      )
    })

    test('an ETag full of XML is data: it is refused, and changes nothing', async () => {
      const key = freshKey()
      const uploadId = await subject.beginUpload(key)
      await subject.sendPart(key, uploadId, 1, Buffer.from('x'))
      const etag = '</ETag></Part><Part><PartNumber>1</PartNumber><ETag>]]>&"'
      await assert.rejects(blob.complete(key, uploadId, [{ partNumber: 1, etag }]), StorageRefusal)
      assert.equal(await blob.head(key), undefined)
    })

    test('aborting forgets the parts, and may be done again', async () => {
      const key = freshKey()
      const uploadId = await subject.beginUpload(key)
      await subject.sendPart(key, uploadId, 1, Buffer.from('gone soon'))
      await blob.abort(key, uploadId)
      await blob.abort(key, uploadId)
      await blob.abort(key, '2~unknown-upload-id-000000000000000')
      assert.equal(await blob.listParts(key, uploadId), undefined)
    })

    test('what was written is read back, whole and in ranges', async () => {
      const key = freshKey()
      const body = randomBytes(300_000)
      assert.deepEqual(await blob.write(key, body), { etag: md5(body), size: body.length })
      assert.deepEqual(await blob.head(key), { etag: md5(body), size: body.length })
      assert.deepEqual(await bytesOf(blob.read(key)), body)
      assert.deepEqual(await bytesOf(blob.read(key, { start: 100_000, end: 100_009 })), body.subarray(100_000, 100_010))
    })

    test('a long range comes whole, however slowly it is read', async () => {
      const key = freshKey()
      const body = randomBytes(5 * 2 ** 20)
      await blob.write(key, body)
      const range = { start: 7, end: body.length - 9 }
      const whole = createHash('md5')
      for await (const piece of blob.read(key, range)) {
        whole.update(piece)
        await sleep(2)
      }
      assert.equal(whole.digest('hex'), md5(body.subarray(range.start, range.end + 1)))
      await assert.rejects(Array.fromAsync(blob.read(freshKey(), range)), ObjectGone)
    })

    test('a reader may stop early, or be called off', async () => {
      const key = freshKey()
      await blob.write(key, randomBytes(3 * 2 ** 20))
      const long = { start: 0, end: 3 * 2 ** 20 - 1 }
      for (const range of [undefined, long]) {
        for await (const piece of blob.read(key, range)) {
          assert.ok(piece.byteLength > 0)
          break
        }
        const off = new AbortController()
        await assert.rejects(async () => {
          for await (const piece of blob.read(key, range, off.signal)) if (piece.length > 0) off.abort()
        })
      }
    })

    test('what is not there has no head and cannot be read', async () => {
      const key = freshKey()
      assert.equal(await blob.head(key), undefined)
      await assert.rejects(bytesOf(blob.read(key)), ObjectGone)
    })

    test('open uploads are found by prefix, over several pages, also two of one key', async () => {
      const prefix = `${freshKey()}/`
      const keys = ['a', 'b', 'b', 'c', 'd'].map((name) => `${prefix}${name}`)
      const begun: string[] = []
      for (const key of keys) begun.push(`${key} ${await subject.beginUpload(key)}`)
      await subject.beginUpload(freshKey())

      const found = await all(blob.openUploads(prefix))

      assert.deepEqual(found.map(({ key, uploadId }) => `${key} ${uploadId}`).toSorted(), begun.toSorted())
      for (const { initiatedAt } of found) assert.ok(Math.abs(Date.now() - initiatedAt.getTime()) < 60_000)
    })

    test('objects are listed in the order of their keys, over several pages, from any key on', async () => {
      const prefix = `${freshKey()}/`
      const keys = ['1', '2', '3', '4', '5'].map((name) => `${prefix}${name}`)
      const written: object[] = []
      for (const key of keys) written.push({ key, ...(await blob.write(key, Buffer.from(key))) })

      const found = await all(blob.list(prefix))

      assert.deepEqual(
        found.map(({ key, size, etag }) => ({ key, size, etag })),
        written,
      )
      for (const { modifiedAt } of found) assert.ok(Math.abs(Date.now() - modifiedAt.getTime()) < 60_000)
      assert.deepEqual(
        (await all(blob.list(prefix, keys[1]))).map(({ key }) => key),
        keys.slice(2),
      )
    })

    test('any number of objects is removed, known or not, and others stay', async () => {
      const prefix = `${freshKey()}/`
      const [kept, first, last] = [`${prefix}kept`, `${prefix}0000`, `${prefix}2000`]
      for (const key of [kept, first, last]) await blob.write(key, Buffer.from('x'))
      const unknown = Array.from({ length: 1_200 }, (_, index) => `${prefix}unknown-${index}`)

      await blob.remove([first, ...unknown, last])
      await blob.remove([])

      assert.deepEqual(
        (await all(blob.list(prefix))).map(({ key }) => key),
        [kept],
      )
    })

    test('64 calls at once are served', async () => {
      const keys = Array.from({ length: 64 }, freshKey)
      await Promise.all(keys.map((key) => blob.write(key, Buffer.from(key))))
      const heads = await Promise.all(keys.map((key) => blob.head(key)))
      assert.ok(heads.every((head) => head !== undefined))
      await blob.remove(keys)
    })

    test('a check of the bucket passes', () => blob.check())
  })
}

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = []
  for await (const item of items) found.push(item)
  return found
}

async function bytesOf(pieces: AsyncIterable<Uint8Array>): Promise<Buffer> {
  return Buffer.concat(await all(pieces))
}

function md5(bytes: Uint8Array): string {
  return createHash('md5').update(bytes).digest('hex')
}
