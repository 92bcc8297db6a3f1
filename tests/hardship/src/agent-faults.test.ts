import assert from 'node:assert/strict'
import { mkdir, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { MiB } from '@longshore/contract/limits'
import { newAgentGround, sha256Of, writeRandom } from '#agent-ground'

// The gate shows it small. Longer runs judge the speed better: LONGSHORE_HARDSHIP_ROUNDS=5 LONGSHORE_HARDSHIP_FILES=2000.
const rounds = Number(process.env['LONGSHORE_HARDSHIP_ROUNDS'] ?? 1)
const smallFiles = Number(process.env['LONGSHORE_HARDSHIP_FILES'] ?? 200)
const seed = Number(process.env['LONGSHORE_HARDSHIP_SEED'] ?? 7)
// Of each kind: refusals, broken connections, lost answers.
const share = 0.01

test('one in a hundred requests refused, broken, or its answer lost: every file arrives, at nearly the same speed', {
  timeout: 3_600_000,
}, async (t) => {
  const ground = await newAgentGround(t, seed)
  const { folder, proxy } = ground
  const source = join(folder, 'Rushes')
  await mkdir(source)
  await writeRandom(join(source, 'large.mov'), 100 * MiB)
  for (let index = 0; index < smallFiles; index++) await writeRandom(join(source, `small-${index}`), 200_000)

  const timed = async (faults: number): Promise<{ seconds: number; id: string }> => {
    proxy.trouble(faults)
    const begin = performance.now()
    const id = await ground.send([source])
    const upload = await ground.uploaded(id)
    assert.equal(upload.state, 'complete', JSON.stringify(upload.error))
    return { seconds: (performance.now() - begin) / 1000, id }
  }
  const clean: number[] = []
  const troubled: number[] = []
  let last = ''
  for (let round = 0; round < rounds; round++) {
    clean.push((await timed(0)).seconds)
    const { seconds, id } = await timed(share)
    troubled.push(seconds)
    last = id
  }
  const { happened } = proxy
  t.diagnostic(`${happened.refused} refused, ${happened.reset} broken, ${happened['reply lost']} answers lost`)
  const ratio = Math.min(...clean) / Math.min(...troubled)
  t.diagnostic(`goodput with faults ÷ without: ${ratio.toFixed(2)} (goal 0.90; best of ${rounds} each)`)
  assert.ok(Object.values(happened).every((count) => count > 0))

  const into = join(folder, 'in')
  await mkdir(into)
  const download = await ground.downloaded(await ground.fetch(last, into))
  assert.equal(download.state, 'complete', JSON.stringify(download.error))
  const arrived = await readdir(join(into, 'Rushes'))
  assert.deepEqual(arrived.toSorted(), (await readdir(source)).toSorted())
  for (const name of arrived) {
    assert.equal(await sha256Of(join(into, 'Rushes', name)), await sha256Of(join(source, name)), name)
  }
})
