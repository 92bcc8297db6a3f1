import assert from 'node:assert/strict'
import { createHash, randomBytes, randomInt } from 'node:crypto'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { GiB, MiB } from '@longshore/contract/limits'
import { newGround, until } from '#ground'
import { contentsOf, sentPackages, startMortal } from '#watched'

// The gate runs this small; the show of issue 8 is 3 GiB in 120 seconds.
const size = Number(process.env['LONGSHORE_GROWING_MIB'] ?? 48) * MiB
const seconds = Number(process.env['LONGSHORE_GROWING_SECONDS'] ?? 8)
const chunkSize = Number(process.env['LONGSHORE_GROWING_CHUNK_MIB'] ?? 5) * MiB
const timeout = 3

test('a file arrives as it is in the end, soon after its last byte', { timeout: 900_000 }, async (t) => {
  const ground = await newGround(t)
  const args = ['--chunk-size', String(chunkSize), '--largest-stream', String(8 * GiB)]
  const mortal = await startMortal(ground, args)
  t.after(mortal.end)
  const automation = { name: 'Recorder', enabled: true, path: mortal.folder, timeout, recipient_emails: [] }
  await mortal.post('automations/team_stream', { ...automation, team_id: ground.team.team_id })

  const path = join(mortal.folder, 'recording.mov')
  const file = await open(path, 'w')
  const head = randomBytes(64)
  await file.write(Buffer.alloc(64), 0, 64, 0)
  let written = 64
  const killAt = size / 2
  let killed: Promise<void> | undefined
  for (const beganAt = performance.now(); written < size; ) {
    const piece = randomBytes(Math.min(size - written, 1 + randomInt(4 * MiB)))
    await file.write(piece, 0, piece.length, written)
    written += piece.length
    if (written > killAt) killed ??= mortal.restart()
    const dueAt = beganAt + (written / size) * seconds * 1_000
    await sleep(Math.max(0, dueAt - performance.now()) * Math.random() * 2)
  }
  // As recorders do: the length of what follows is written to the beginning.
  await file.write(head, 0, 64, 0)
  await file.close()
  const overAt = performance.now()
  await killed

  await until('it is sent', async () => (await sentPackages(ground)).length === 1, 120)
  const took = (performance.now() - overAt) / 1_000
  console.log(
    `${size / MiB} MiB written in ${seconds} s, sent ${took.toFixed(1)} s after its end (quiet: ${timeout} s)`,
  )
  const [pkg] = await sentPackages(ground)
  assert.ok(pkg !== undefined)
  assert.deepEqual(await contentsOf(ground, pkg), { 'recording.mov': await sha256Of(path) })
  const [chunk] = await ground.ask('select chunk_size from files')
  assert.equal(Number(chunk), chunkSize, 'in chunks of the size that was asked for')
})

async function sha256Of(path: string): Promise<string> {
  const hash = createHash('sha256')
  const file = await open(path)
  for await (const piece of file.createReadStream()) hash.update(piece as Buffer)
  return hash.digest('hex')
}
