import assert from 'node:assert/strict'
import { randomBytes, randomInt } from 'node:crypto'
import { mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { newGround, until } from '#ground'
import { allIsWell } from '#invariants'
import { contentsIn, contentsOf, sentPackages, startMortal } from '#watched'

// The gate runs this small; the show of issue 8 is 1000 folders and 20 kills.
const folders = Number(process.env['LONGSHORE_WATCHED_FOLDERS'] ?? 24)
const kills = Number(process.env['LONGSHORE_WATCHED_KILLS'] ?? 3)
const minuteMs = 1_000
const timeout = 3
const quietMs = timeout * minuteMs

test('whenever the agent is killed, each subfolder is sent once and whole', { timeout: 3_600_000 }, async (t) => {
  const ground = await newGround(t)
  const mortal = await startMortal(ground, ['--minute-ms', String(minuteMs)])
  t.after(mortal.end)
  const automation = { name: 'Watched', enabled: true, path: mortal.folder, timeout, recipient_emails: [] }
  await mortal.post('automations/team_upload', { ...automation, team_id: ground.team.team_id })

  const beganAt = performance.now()
  const gone = new Set<string>()
  const stalled = new Set<string>()
  /** Fills a folder as a slow copy does. A writer that this busy machine held up for too long proves nothing. */
  const fillSlowly = async (name: string) => {
    let folder = join(mortal.folder, name)
    let last = performance.now()
    for (let n = 0; n < 1 + randomInt(5); n++) {
      mkdirSync(join(folder, `part ${n % 2}`), { recursive: true })
      writeFileSync(join(folder, `part ${n % 2}`, `${n}.bin`), randomBytes(randomInt(200_000)))
      if (performance.now() - last > quietMs / 2) stalled.add(name)
      last = performance.now()
      await sleep(randomInt(300))
      if (randomInt(20) === 0) {
        renameSync(folder, `${folder}-renamed`)
        folder = `${folder}-renamed`
      }
    }
    if (randomInt(20) > 0) return
    gone.add(name)
    rmSync(folder, { recursive: true })
  }
  const names = Array.from({ length: folders }, (_, n) => `folder-${String(n).padStart(4, '0')}`)
  const writing = (async () => {
    for (let at = 0; at < names.length; at += 8) await Promise.all(names.slice(at, at + 8).map(fillSlowly))
  })()
  for (let kill = 0; kill < kills; kill++) {
    await sleep(500 + randomInt(6_000))
    await mortal.restart()
  }
  await writing

  const baseOf = (name: string) => name.slice(0, 'folder-0000'.length)
  const expected = new Set(names.filter((name) => !gone.has(name)))
  const seconds = 120 + folders
  await until(
    'every folder is sent',
    async () => {
      const sent = new Set((await sentPackages(ground)).map(({ name }) => baseOf(name)))
      return [...expected].every((name) => sent.has(name))
    },
    seconds,
  )
  const took = (performance.now() - beganAt) / 1_000
  // Whatever would be sent twice is sent by then.
  await mortal.restart()
  await sleep(2 * quietMs)
  const sent = await sentPackages(ground)
  const bases = sent.map(({ name }) => baseOf(name)).sort()
  assert.deepEqual(bases, [...new Set(bases)], 'no folder was sent twice')
  const there = new Map(readdirSync(mortal.folder).map((name) => [baseOf(name), join(mortal.folder, name)]))
  let compared = 0
  for (const pkg of sent) {
    const folder = there.get(baseOf(pkg.name))
    if (folder === undefined || stalled.has(baseOf(pkg.name))) continue
    assert.deepEqual(await contentsOf(ground, pkg), contentsIn(folder), pkg.name)
    compared++
  }
  assert.ok(compared >= expected.size / 2, `only ${compared} could be compared`)
  console.log(`${sent.length} folders sent once in ${took.toFixed(0)} s, ${compared} compared, ${kills + 1} kills`)
  await allIsWell(ground)
})
