import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { minChunkSize } from '@longshore/contract/limits'
import { s3Blob } from '#blob/s3'
import { StorageTrouble } from '#blob/storage-errors'
import { storageAway } from '#domain/storage-away'
import { deletePackage } from '#domain/packages/delete-package'
import { fileById } from '#store/files'
import { testCx, type TestCx } from '#test-kit/cx'
import { fileRows, packageRow } from '#test-kit/look'
import { type MadeFile, type MadePackage, makeFile, makePackage, sendPart } from '#test-kit/make'
import { race } from '#test-kit/race'
import { stackStorage } from '#test-kit/stack-storage'
import type { FileClaim } from './claim.ts'
import { finalizeFile, finalizeFiles } from './finalize-files.ts'
import { removeFile } from './remove-file.ts'

const finalize = (cx: TestCx, pkg: MadePackage, file: MadeFile, claim: FileClaim = file.claim) =>
  finalizeFile(cx, pkg.manager, pkg.id, file.id, claim)

const rowOf = (cx: TestCx, pkg: MadePackage, file: MadeFile) => fileById(cx.db, pkg.teamId, pkg.id, file.id)

async function bytesOf(cx: TestCx, file: MadeFile): Promise<Buffer> {
  const pieces: Uint8Array[] = []
  for await (const piece of cx.blob.read(file.key)) pieces.push(piece)
  return Buffer.concat(pieces)
}

const twoParts = () => [randomBytes(minChunkSize), randomBytes(1234)]
const unfinished = { inParts: true, finalized: false } as const
const otherEtag = 'd41d8cd98f00b204e9800998ecf8427e'

test('parts become one object, byte by byte, with the etag that was foretold; a repeat is answered alike', async (t) => {
  const cx = await testCx(t)
  const pkg = await makePackage(cx)
  const file = await makeFile(cx, pkg, { pieces: twoParts(), finalized: false })
  await finalize(cx, pkg, file)
  const row = await rowOf(cx, pkg, file)
  assert.deepEqual([row?.state, row?.size], ['finalized', file.bytes.length])
  assert.equal((await cx.blob.head(file.key))?.etag, row?.expected_etag)
  assert.ok((await bytesOf(cx, file)).equals(file.bytes))

  await finalize(cx, pkg, file)
  assert.deepEqual(await rowOf(cx, pkg, file), row)
})

test('a repeat with other content is refused and changes nothing', async (t) => {
  const cx = await testCx(t)
  const pkg = await makePackage(cx)
  const file = await makeFile(cx, pkg, { inParts: true, announced: false })
  const row = await rowOf(cx, pkg, file)
  const upload = file.claim.file_extras?.upload_id ?? ''
  for (const claim of [
    { ...file.claim, chunk_extras: [{ part_number: 1, etag: otherEtag }] },
    { ...file.claim, file_extras: { upload_id: `${upload}x` } },
    { ...file.claim, size: file.claim.size + 1 },
  ]) {
    await assert.rejects(finalize(cx, pkg, file, claim), { code: 'upload_mismatch' })
  }
  assert.deepEqual(await rowOf(cx, pkg, file), row)
})

test('a claim that the store does not bear out is refused, and the file can still be finished', async (t) => {
  const cx = await testCx(t)
  const pkg = await makePackage(cx)
  const file = await makeFile(cx, pkg, { pieces: twoParts(), finalized: false })
  const [one, two] = file.claim.chunk_extras ?? []
  assert.ok(one !== undefined && two !== undefined)
  for (const [what, claim, message] of [
    ['a part too few', { ...file.claim, chunk_extras: [one] }, /2 part\(s\), 1 were named/],
    ['a part too many', { ...file.claim, chunk_extras: [one, two, { ...two, part_number: 3 }] }, /2 part\(s\), 3/],
    ['another etag', { ...file.claim, chunk_extras: [one, { ...two, etag: otherEtag }] }, /part 2 .* another etag/],
    [
      'swapped etags',
      {
        ...file.claim,
        chunk_extras: [
          { ...one, etag: two.etag },
          { ...two, etag: one.etag },
        ],
      },
      /part 1/,
    ],
    ['another size', { ...file.claim, size: file.claim.size - 1 }, /announced with/],
    ['another upload', { ...file.claim, file_extras: { upload_id: 'other' } }, /another upload_id/],
  ] as const) {
    await assert.rejects(finalize(cx, pkg, file, claim), { code: 'upload_mismatch', message }, what)
  }
  assert.equal((await rowOf(cx, pkg, file))?.state, 'uploading')
  assert.equal(await cx.blob.head(file.key), undefined)
  await finalize(cx, pkg, file)
})

test('a size that nobody announced is held against the sum of the parts', async (t) => {
  const cx = await testCx(t)
  const pkg = await makePackage(cx)
  const file = await makeFile(cx, pkg, { ...unfinished, announced: false })
  const claim = { ...file.claim, size: file.claim.size + 1 }
  await assert.rejects(finalize(cx, pkg, file, claim), { code: 'upload_mismatch', message: /storage has \d+ bytes/ })
  assert.equal((await rowOf(cx, pkg, file))?.size, null)
  await finalize(cx, pkg, file)
  assert.equal((await rowOf(cx, pkg, file))?.size, file.bytes.length)
})

test('a part that was sent again counts as it was sent last', async (t) => {
  const cx = await testCx(t)
  const pkg = await makePackage(cx)
  const file = await makeFile(cx, pkg, unfinished)
  const upload = file.claim.file_extras?.upload_id ?? ''
  const etag = await sendPart(cx, pkg, file.id, upload, 0, Buffer.alloc(file.bytes.length, 'x'))
  await assert.rejects(finalize(cx, pkg, file), { code: 'upload_mismatch', message: /part 1 / })
  await finalize(cx, pkg, file, { ...file.claim, chunk_extras: [{ part_number: 1, etag }] })
  assert.ok((await bytesOf(cx, file)).equals(Buffer.alloc(file.bytes.length, 'x')))
})

test('what the store refuses to join is told as its refusal', async (t) => {
  const cx = await testCx(t)
  const pkg = await makePackage(cx)
  const pieces = [randomBytes(100), randomBytes(100)]
  const file = await makeFile(cx, pkg, { pieces, announced: false, finalized: false })
  await assert.rejects(finalize(cx, pkg, file), { code: 'storage_refused', message: /EntityTooSmall/ })
  assert.notEqual((await rowOf(cx, pkg, file))?.state, 'finalized')
})

test('a file put whole is taken by size and etag, and a repeat is answered alike', async (t) => {
  const cx = await testCx(t)
  const pkg = await makePackage(cx)
  const file = await makeFile(cx, pkg, { finalized: false })
  const result = async (claim: FileClaim) =>
    (await finalizeFiles(cx, pkg.manager, pkg.id, [{ ...file.claim, ...claim }])).results[0]
  assert.equal((await result({ size: file.claim.size + 1 }))?.error, 'upload_mismatch')
  assert.equal((await result({ size: file.claim.size, etag: otherEtag }))?.error, 'upload_mismatch')
  assert.deepEqual(await result(file.claim), { file_id: file.id, status: 204 })
  assert.deepEqual(await result(file.claim), { file_id: file.id, status: 204 })
  assert.equal((await result({ size: file.claim.size, etag: otherEtag }))?.status, 409)
})

test('in a batch each file has its own result, and one that fails holds back none', async (t) => {
  const cx = await testCx(t)
  const pkg = await makePackage(cx)
  const good = await makeFile(cx, pkg, { finalized: false })
  const bad = await makeFile(cx, pkg, unfinished)
  const parts = await makeFile(cx, pkg, unfinished)
  const { results } = await finalizeFiles(cx, pkg.manager, pkg.id, [
    good.claim,
    { ...bad.claim, chunk_extras: [{ part_number: 1, etag: otherEtag }] },
    parts.claim,
    { ...good.claim, file_id: '01890000-0000-7000-8000-000000000000' },
  ])
  assert.deepEqual(
    results.map(({ status, error }) => [status, error]),
    [
      [204, undefined],
      [409, 'upload_mismatch'],
      [204, undefined],
      [404, 'file_not_found'],
    ],
  )
  const states = new Map((await fileRows(cx, pkg.id)).map((file) => [file.id, file.state]))
  assert.deepEqual(
    [good, bad, parts].map((file) => states.get(file.id)),
    ['finalized', 'uploading', 'finalized'],
  )
})

test('many files put whole are found by one list, and only those in doubt are asked for', async (t) => {
  const cx = await testCx(t)
  const pkg = await makePackage(cx)
  const files: MadeFile[] = []
  for (let n = 0; n < 12; n++) files.push(await makeFile(cx, pkg, { finalized: false }))
  const asked: string[] = []
  const blob = {
    ...cx.blob,
    head: (key: string) => {
      asked.push(key)
      return cx.blob.head(key)
    },
  }
  const [longer, other, gone, ...rest] = files
  assert.ok(longer && other && gone)
  await cx.blob.remove([gone.key])
  const { results } = await finalizeFiles({ ...cx, blob }, pkg.manager, pkg.id, [
    ...rest.map(({ claim }) => claim),
    { ...longer.claim, size: longer.claim.size + 1 },
    { ...other.claim, etag: otherEtag },
    gone.claim,
  ])
  assert.deepEqual(
    results.map(({ status }) => status),
    [...rest.map(() => 204), 409, 409, 409],
  )
  assert.deepEqual(asked.toSorted(), [other.key, gone.key].toSorted())
})

test('while the store is away the answer is to come back later, and coming back heals it', async (t) => {
  const cx = await testCx(t)
  const pkg = await makePackage(cx)
  const file = await makeFile(cx, pkg, unfinished)
  const away = { ...cx, blob: s3Blob({ ...stackStorage(), endpoint: 'http://127.0.0.1:9' }) }
  await assert.rejects(finalize(away, pkg, file), (error) => {
    assert.equal(storageAway(error)?.code, 'storage_unavailable')
    assert.equal(storageAway(error)?.retryAfterSeconds, 5)
    return true
  })
  assert.equal((await rowOf(cx, pkg, file))?.state, 'uploading')
  await finalize(cx, pkg, file)
})

// What the store did before its answer was lost.
for (const [what, joins] of [
  ['had joined the parts', true],
  ['had done nothing', false],
] as const) {
  test(`an answer that is lost when the store ${what} is settled by the object itself`, async (t) => {
    const cx = await testCx(t)
    const pkg = await makePackage(cx)
    const file = await makeFile(cx, pkg, unfinished)
    let asked = 0
    const complete: TestCx['blob']['complete'] = async (...given) => {
      asked++
      if (joins) await cx.blob.complete(...given)
      throw new StorageTrouble('the answer was lost')
    }
    const first = finalize({ ...cx, blob: { ...cx.blob, complete } }, pkg, file)
    await (joins ? first : assert.rejects(first, { name: 'StorageTrouble' }))
    assert.equal((await rowOf(cx, pkg, file))?.state, joins ? 'finalized' : 'completing')
    await finalize(cx, pkg, file)
    assert.equal(asked, 1)
    assert.ok((await bytesOf(cx, file)).equals(file.bytes))
  })
}

test('a crash after joining is healed by the repeat, which joins nothing again', async (t) => {
  const cx = await testCx(t)
  const pkg = await makePackage(cx)
  const file = await makeFile(cx, pkg, unfinished)
  const complete: TestCx['blob']['complete'] = async (...given) => {
    await cx.blob.complete(...given)
    throw new Error('killed here')
  }
  const head: TestCx['blob']['head'] = () => Promise.reject(new Error('killed here'))
  await assert.rejects(finalize({ ...cx, blob: { ...cx.blob, complete, head } }, pkg, file), /killed here/)
  assert.equal((await rowOf(cx, pkg, file))?.state, 'completing')

  const never = () => Promise.reject(new Error('joined twice'))
  await finalize({ ...cx, blob: { ...cx.blob, complete: never } }, pkg, file)
  assert.equal((await rowOf(cx, pkg, file))?.state, 'finalized')
})

test('another object under the same key does not pass for the joined one', async (t) => {
  const cx = await testCx(t)
  const pkg = await makePackage(cx)
  const file = await makeFile(cx, pkg, unfinished)
  const complete: TestCx['blob']['complete'] = async (key, uploadId) => {
    await cx.blob.abort(key, uploadId)
    await cx.blob.write(key, Buffer.alloc(file.bytes.length, 'x'))
    throw new StorageTrouble('who knows')
  }
  await assert.rejects(finalize({ ...cx, blob: { ...cx.blob, complete } }, pkg, file))
  await assert.rejects(finalize(cx, pkg, file), { code: 'upload_mismatch' })
  assert.notEqual((await rowOf(cx, pkg, file))?.state, 'finalized')
})

test('finalize-file ∥ finalize-file: both are told yes', async (t) => {
  const cx = await testCx(t)
  const pkg = await makePackage(cx)
  for (const holding of [1, 2]) {
    const file = await makeFile(cx, pkg, unfinished)
    const { first, second } = await race(
      cx,
      (cx) => finalize(cx, pkg, file),
      (cx) => finalize(cx, pkg, file),
      { holding },
    )
    await Promise.all([first, second])
    assert.equal((await rowOf(cx, pkg, file))?.state, 'finalized')
    assert.ok((await bytesOf(cx, file)).equals(file.bytes))
  }
})

test('finalize-file ∥ finalize-file with a part that changed between them: only what is stored is told yes', async (t) => {
  const cx = await testCx(t)
  const pkg = await makePackage(cx)
  const file = await makeFile(cx, pkg, unfinished)
  const upload = file.claim.file_extras?.upload_id ?? ''
  // The slow one has seen the first bytes; before it can write that down, the second bytes are there and finished.
  const seen = Promise.withResolvers<void>()
  const gate = Promise.withResolvers<void>()
  const listParts: TestCx['blob']['listParts'] = async (...given) => {
    const parts = await cx.blob.listParts(...given)
    seen.resolve()
    await gate.promise
    return parts
  }
  const slow = finalize({ ...cx, blob: { ...cx.blob, listParts } }, pkg, file)
  slow.catch(() => {})
  await seen.promise
  const etag = await sendPart(cx, pkg, file.id, upload, 0, Buffer.alloc(file.bytes.length, 'x'))
  await finalize(cx, pkg, file, { ...file.claim, chunk_extras: [{ part_number: 1, etag }] })
  gate.resolve()
  await assert.rejects(slow, { code: 'upload_mismatch' })
  assert.ok((await bytesOf(cx, file)).equals(Buffer.alloc(file.bytes.length, 'x')))
})

test('finalize-file ∥ delete package: finished first, then ended', async (t) => {
  const cx = await testCx(t)
  const pkg = await makePackage(cx)
  const file = await makeFile(cx, pkg, unfinished)
  const { first, second } = await race(
    cx,
    (cx) => finalize(cx, pkg, file),
    (cx) => deletePackage(cx, pkg.manager, pkg.id),
    { holding: 2 },
  )
  await Promise.all([first, second])
  assert.equal((await packageRow(cx, pkg.id))?.state, 'expired')
})

for (const [when, holding] of [
  ['before it is written down', 1],
  ['after the parts were joined', 2],
] as const) {
  test(`delete package ∥ finalize-file ${when}: the file is refused as the package has ended`, async (t) => {
    const cx = await testCx(t)
    const pkg = await makePackage(cx)
    const file = await makeFile(cx, pkg, unfinished)
    if (holding === 2) {
      // Has been marked before; only the closing is left.
      const complete = async (...given: Parameters<TestCx['blob']['complete']>) => {
        await cx.blob.complete(...given)
        throw new Error('killed here')
      }
      const head = () => Promise.reject(new Error('killed here'))
      await assert.rejects(finalize({ ...cx, blob: { ...cx.blob, complete, head } }, pkg, file), /killed/)
    }
    const { first, second } = await race(
      cx,
      (cx) => deletePackage(cx, pkg.manager, pkg.id),
      (cx) => finalize(cx, pkg, file),
    )
    await first
    await assert.rejects(second, { code: 'package_expired' })
    assert.notEqual((await rowOf(cx, pkg, file))?.state, 'finalized')
  })
}

test('remove-file ∥ finalize-file: the file is gone, and so it is told', async (t) => {
  const cx = await testCx(t)
  const pkg = await makePackage(cx)
  const file = await makeFile(cx, pkg, unfinished)
  const { first, second } = await race(
    cx,
    (cx) => removeFile(cx, pkg.manager, pkg.id, file.id),
    (cx) => finalize(cx, pkg, file),
  )
  await first
  await assert.rejects(second, { code: 'file_not_found' })
  assert.deepEqual(await fileRows(cx, pkg.id), [])
  await cx.blob.abort(file.key, file.claim.file_extras?.upload_id ?? '')
})
