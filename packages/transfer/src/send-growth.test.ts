import assert from 'node:assert/strict'
import { test } from 'node:test'
import { chunkCount, maxChunkCount, MiB, TiB } from '@longshore/contract/limits'
import { chunkSizeToGrow } from '#plan'
import type { Dice } from '#simulation/dice'
import { chunkSize, fairCourse, storm } from '#simulation/storm'
import { faultsOfUpload } from '#simulation/verdict'
import { createWorld, upload, type World } from '#simulation/voyage'

const nothing = new Uint8Array()

/** A file that nobody has written to yet, in any weather. */
const growing = (course: (dice: Dice) => ReturnType<typeof storm>) => (dice: Dice) => ({
  ...course(dice),
  sources: fairCourse([nothing]).sources,
  growing: 1,
  disturbances: 0,
  refusedName: '',
})

const firstOf = ({ course }: World) => course.sources[0]

test('a file is sent while it grows, and is up soon after its last byte', async () => {
  const world = createWorld(
    1,
    growing((dice) => ({ ...storm(dice), ...fairCourse([nothing]) })),
  )
  const voyage = await upload(world)
  assert.deepEqual(faultsOfUpload(world, voyage), [])
  const size = firstOf(world)?.versions.at(-1)?.length ?? 0
  assert.ok(size > 10 * chunkSize, `${size} bytes`)
  assert.equal(voyage.traffic.bytes, size)
})

test('whatever the weather, however often it is killed: what arrives is the whole file as it was in the end', async () => {
  for (let seed = 1; seed <= 100; seed++) {
    const world = createWorld(seed, growing(storm))
    assert.deepEqual(faultsOfUpload(world, await upload(world)), [], `seed ${seed}`)
  }
})

test('checksums are those of the file, or there are none where its beginning was written anew', async () => {
  const counted = { with: 0, without: 0 }
  for (let seed = 1; seed <= 50; seed++) {
    const world = createWorld(
      seed,
      growing((dice) => ({ ...storm(dice), ...fairCourse([nothing]) })),
    )
    const { cloud } = await upload(world)
    const [file] = cloud.files.values()
    counted[file?.checksums === undefined ? 'without' : 'with']++
  }
  // Those that stayed within two chunks were not begun before their end.
  assert.ok(counted.with > 0 && counted.without > 0, JSON.stringify(counted))
})

test('a file may grow to a tebibyte in the chunks it was begun with', () => {
  for (const asked of [5 * MiB, 100 * MiB, 1_000 * MiB]) {
    const size = chunkSizeToGrow(asked, TiB, 0)
    assert.ok(size >= asked && chunkCount(TiB, size) <= maxChunkCount, `${size} bytes`)
  }
  assert.equal(chunkSizeToGrow(100 * MiB, TiB, 0), 106 * MiB)
})

test('a file that outgrew its plan has room for four times what it is', () => {
  const size = chunkSizeToGrow(100 * MiB, TiB, 1.1 * TiB)
  assert.ok(chunkCount(4.4 * TiB, size) <= maxChunkCount && chunkCount(4.6 * TiB, size) > 9_900, `${size} bytes`)
})
