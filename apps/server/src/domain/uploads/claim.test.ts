import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checksumsOf, claimDigest, claimedParts, disagreement, joinedEtag, plainEtag } from './claim.ts'

const [one, two] = ['5d41402abc4b2a76b9719d911017c592', '7d793037a0760186574b0282f2f435e7']
const extras = (...parts: (readonly [number | string, string])[]) => ({
  size: 1,
  chunk_extras: parts.map(([part_number, etag]) => ({ part_number, etag })),
})

test('parts come in any order, numbered as text or number, with quotes or without', () => {
  assert.deepEqual(claimedParts(extras(['2', `"${two}"`], [1, one])), [
    { partNumber: 1, etag: one },
    { partNumber: 2, etag: two },
  ])
})

for (const [what, parts] of [
  ['no part at all', []],
  ['a gap', [1, 3]],
  ['a beginning at 2', [2, 3]],
  ['a part twice', [1, 1]],
] as const) {
  test(`a claim of ${what} is refused`, () => {
    assert.throws(() => claimedParts(extras(...parts.map((part) => [part, one] as const))), {
      code: 'validation_failed',
    })
  })
}

test('the etag of a joined object is the MD5 of its parts’ MD5s and their number', () => {
  // Of the parts "hello" and "world", computed elsewhere. That a real store says the same is tested with finalizing.
  const parts = [
    { partNumber: 1, etag: one },
    { partNumber: 2, etag: two },
  ]
  assert.equal(joinedEtag(parts), '065947336a2f2a95ba8899f3675c3be6-2')
  assert.notEqual(joinedEtag(parts), joinedEtag(parts.toReversed()))
})

test('where a part’s etag is no MD5, nothing is foretold', () => {
  assert.equal(joinedEtag([{ partNumber: 1, etag: 'not-an-md5' }]), undefined)
  assert.equal(joinedEtag([{ partNumber: 1, etag: `${one}-1` }]), undefined)
})

test('two claims are the same only if upload, size and every etag are', () => {
  const parts = [{ partNumber: 1, etag: one }]
  const digest = claimDigest('u', 5, parts)
  assert.deepEqual(claimDigest('u', 5, [{ partNumber: 1, etag: one }]), digest)
  for (const other of [
    claimDigest('v', 5, parts),
    claimDigest('u', 6, parts),
    claimDigest('u', 5, [{ partNumber: 1, etag: two }]),
    claimDigest('u', 5, [...parts, ...parts]),
  ]) {
    assert.notDeepEqual(other, digest)
  }
})

test('the store’s list decides: number of parts, each etag, and the sum of sizes', () => {
  const claimed = [
    { partNumber: 1, etag: one },
    { partNumber: 2, etag: two },
  ]
  const stored = [
    { partNumber: 1, etag: one, size: 10 },
    { partNumber: 2, etag: two, size: 3 },
  ]
  assert.equal(disagreement(claimed, 13, stored), undefined)
  assert.match(disagreement(claimed, 12, stored) ?? '', /13 bytes/)
  assert.match(disagreement(claimed, 13, stored.slice(0, 1)) ?? '', /1 part/)
  assert.match(disagreement(claimed.slice(0, 1), 10, stored) ?? '', /2 part/)
  assert.match(disagreement(claimed, 13, [stored[0]!, { ...stored[1]!, etag: one }]) ?? '', /part 2 /)
  assert.match(disagreement(claimed, 13, [stored[0]!, { ...stored[1]!, partNumber: 3 }]) ?? '', /part 2 /)
})

test('an etag loses one pair of quotes and nothing else', () => {
  assert.equal(plainEtag('"abc"'), 'abc')
  assert.equal(plainEtag('abc-2'), 'abc-2')
})

test('checksums are kept as bytes, and none as none', () => {
  assert.deepEqual(checksumsOf({ size: 1, checksums: { crc32: '0a0b0c0d' } }), {
    sha256: null,
    crc32: Buffer.from([10, 11, 12, 13]),
  })
})
