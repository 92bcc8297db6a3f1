import assert from 'node:assert/strict'
import { test } from 'node:test'
import { storm } from './storm.ts'
import { createWorld, download, faultsOfDownload, faultsOfUpload, upload } from './voyage.ts'

async function sail(seed: number): Promise<void> {
  const world = createWorld(seed, storm)
  const sent = await upload(world)
  assert.deepEqual(faultsOfUpload(world, sent), [])
  if (sent.outcome.state !== 'complete') return
  assert.deepEqual(faultsOfDownload(world, await download(world)), [])
}

const only = process.env['LONGSHORE_SEED']
const seeds = only === undefined ? Number(process.env['LONGSHORE_SEEDS'] ?? 3_000) : 1
const firstSeed = only === undefined ? 1 : Number(only)

test(`whatever happens on ${seeds} voyages, each file arrives whole or not at all, and none is lost`, async () => {
  for (let seed = firstSeed; seed < firstSeed + seeds; seed++) {
    try {
      await sail(seed)
    } catch (error) {
      throw new Error(`Seed ${seed} failed; LONGSHORE_SEED=${seed} repeats it alone.`, { cause: error })
    }
  }
})
