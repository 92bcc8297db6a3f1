import assert from 'node:assert/strict'
import { mkdir, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { MiB } from '@longshore/contract/limits'
import { newAgentGround, sha256Of, writeRandom } from '#agent-ground'
import { dice } from '#fault-proxy'

// The gate shows it small. At full size: LONGSHORE_HARDSHIP_BYTES=4294967296 LONGSHORE_HARDSHIP_KILLS=20.
const size = Number(process.env['LONGSHORE_HARDSHIP_BYTES'] ?? 160 * MiB)
const kills = Number(process.env['LONGSHORE_HARDSHIP_KILLS'] ?? 3)
const seed = Number(process.env['LONGSHORE_HARDSHIP_SEED'] ?? 1)

const workers = 8
// As the engine cuts a download of this size.
const stretch = Math.min(64 * MiB, Math.max(8 * MiB, Math.ceil(size / 64)))
const chunk = stretch

type Ground = Awaited<ReturnType<typeof newAgentGround>>

/** Kills the agent at random moments of a transfer. Answers how long each restart took to move the next byte. */
async function killedOnTheWay(
  { proxy, kill, start }: Ground,
  way: 'up' | 'down',
  isOver: () => Promise<boolean>,
): Promise<number[]> {
  const roll = dice(seed)
  const moments = Array.from({ length: kills }, () => roll() * 0.9 * size).sort((one, other) => one - other)
  const begin = proxy.bytes[way]
  const waits: number[] = []
  for (const moment of moments) {
    // What was sent again counts too, so the moments come a little early; that is as good as any.
    while (proxy.bytes[way] - begin < moment && !(await isOver())) await sleep(20)
    await kill()
    await sleep(50)
    const before = proxy.bytes[way]
    const startedAt = performance.now()
    await start()
    while (proxy.bytes[way] === before && !(await isOver())) await sleep(20)
    waits.push((performance.now() - startedAt) / 1000)
  }
  return waits
}

test(`killed ${kills} times on the way up and down, a file of ${size / MiB} MiB arrives byte for byte, and little is moved twice`, {
  timeout: 3_600_000,
}, async (t) => {
  const ground = await newAgentGround(t, seed)
  const { folder, proxy } = ground
  const source = join(folder, 'reel.mov')
  await writeRandom(source, size)

  const uploadId = await ground.send([source], chunk)
  const isUp = async () => (await ground.upload(uploadId)).state !== 'transferring'
  const upWaits = await killedOnTheWay(ground, 'up', isUp)
  const upload = await ground.uploaded(uploadId)
  assert.equal(upload.state, 'complete', JSON.stringify(upload.error))
  const sentAgain = proxy.bytes.up - size

  const into = join(folder, 'in')
  await mkdir(into)
  const downloadId = await ground.fetch(uploadId, into)
  const isDown = async () => (await ground.download(downloadId)).state !== 'transferring'
  const downWaits = await killedOnTheWay(ground, 'down', isDown)
  const download = await ground.downloaded(downloadId)
  assert.equal(download.state, 'complete', JSON.stringify(download.error))
  const fetchedAgain = proxy.bytes.down - size

  assert.deepEqual(await readdir(into), ['reel.mov'], 'and no part file is left')
  assert.equal(await sha256Of(join(into, 'reel.mov')), await sha256Of(source))
  const most = kills * workers * chunk
  const shown = (bytes: number) => `${(bytes / MiB).toFixed(1)} MiB`
  t.diagnostic(`sent again ${shown(sentAgain)}, fetched again ${shown(fetchedAgain)}; at most ${shown(most)} each`)
  assert.ok(sentAgain <= most, `${shown(sentAgain)} were sent again`)
  // The answers of the store are counted too, a few hundred bytes each.
  assert.ok(fetchedAgain <= most + MiB, `${shown(fetchedAgain)} were fetched again`)
  const waits = [...upWaits, ...downWaits]
  t.diagnostic(`seconds from start to the next byte: ${waits.map((wait) => wait.toFixed(2)).join(' ')}`)
  // The goal is 2 s. On a machine that others use too, even the calmest of a few is no proof.
  assert.ok(Math.min(...waits) <= 5, 'the calmest restart')
})
