import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { chunkSizeFor, maxChunkCount, maxChunkRequests, maxFileSize, MiB } from '@longshore/contract/limits'
import { chunkRange, chunksOf, requestsToAsk, stretchSize, usableChunks } from '#plan'

const sizes = fc.oneof(
  fc.integer({ min: 0, max: 10_000 }),
  fc.maxSafeNat().filter((size) => size <= maxFileSize),
)

test('the chunks of a file follow each other without gap or overlap and end where it ends', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 5_000 }), fc.integer({ min: 1, max: 700 }), (size, chunkSize) => {
      let at = 0
      for (let index = 0; index < chunksOf(size, chunkSize); index++) {
        const { start, end } = chunkRange(index, size, chunkSize)
        assert.equal(start, at)
        at = end
      }
      assert.equal(at, size)
    }),
  )
})

test('no file that is taken has more parts than a store takes', () => {
  fc.assert(fc.property(sizes, (size) => chunksOf(size, chunkSizeFor(100 * MiB, size)) <= maxChunkCount))
})

test('a chunk in storage is used if it is one of ours and has its full size', () => {
  const stored = [
    { part_number: 1, etag: 'a', size: 10 },
    { part_number: 2, etag: 'b', size: 9 },
    { part_number: 3, etag: 'c', size: 5 },
    { part_number: 4, etag: 'd', size: 10 },
    { part_number: 0, etag: 'e', size: 10 },
  ]
  assert.deepEqual(
    [...usableChunks(stored, 25, 10)],
    [
      [0, 'a'],
      [2, 'c'],
    ],
  )
})

test('requests are asked for the lanes twice over, never beyond the file nor beyond what one call gives', () => {
  assert.equal(requestsToAsk(16, 0, 500), 32)
  assert.equal(requestsToAsk(1, 0, 500), 8)
  assert.equal(requestsToAsk(16, 495, 500), 5)
  assert.equal(requestsToAsk(5_000, 0, 10_000), maxChunkRequests)
})

test('stretches of a download are between 8 and 64 MiB', () => {
  fc.assert(fc.property(sizes, (size) => stretchSize(size) >= 8 * MiB && stretchSize(size) <= 64 * MiB))
  assert.equal(stretchSize(1024 * MiB), 16 * MiB)
})
