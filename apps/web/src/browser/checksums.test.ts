import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { crc32 as crc32OfNode } from 'node:zlib'
import { crc32 } from './crc32.ts'
import { createSha256 } from './sha256.ts'

/** Cuts bytes at random places, empty pieces included. */
function* pieces(bytes: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at < bytes.length; ) {
    const end = Math.min(bytes.length, at + Math.floor(Math.random() * 200))
    yield bytes.subarray(at, end)
    at = end
  }
}

for (const size of [0, 1, 7, 8, 55, 56, 63, 64, 65, 119, 120, 128, 1000, 100_003]) {
  test(`${size} bytes in any pieces have the checksums that Node gives them`, () => {
    const bytes = randomBytes(size)
    const sha256 = createSha256()
    let crc = 0
    for (const piece of pieces(bytes)) {
      sha256.update(piece)
      crc = crc32(piece, crc)
    }
    assert.equal(sha256.finish(), createHash('sha256').update(bytes).digest('hex'))
    assert.equal(crc, crc32OfNode(bytes))
  })
}
