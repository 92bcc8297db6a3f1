import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { stripVTControlCharacters } from 'node:util'
import { begin } from '#command'
import { newSite, newUser, type Site, type User } from '#site'

let site: Site
let user: User
// At the rate that is set below it takes some ten seconds: long enough to be caught in the act.
const reel = randomBytes(20_000_000)

before(async () => {
  ;[site, user] = await Promise.all([newSite(), newUser()])
  await writeFile(join(user.folder, 'reel.mov'), reel)
  await writeFile(join(user.folder, 'key'), site.team.api_key)
  const { code, stderr } = await user.longshore('login', '--cloud', site.url, '--api-key-file', 'key')
  assert.equal(code, 0, stderr)
})
after(async () => {
  await user.leave()
  await site.stop()
})

interface Listed {
  readonly kind: string
  readonly state: string
  readonly progress: number
  readonly upload_id: string
  readonly name: string
}

async function listed(): Promise<readonly Listed[]> {
  return (JSON.parse((await user.longshore('ls', '--all', '--json')).stdout) as { transfers: readonly Listed[] })
    .transfers
}

const stateOf = async (id: string) => (await listed()).find(({ upload_id }) => upload_id.endsWith(id))?.state

const slowly = () => user.longshore('settings', 'upload-limit', '2MB/s')
const atOnce = () => user.longshore('settings', 'upload-limit', 'off')
const removeAll = () => user.longshore('rm', '--all', '--yes').then(() => {})

test('settings are shown and changed in human units', async () => {
  const settings = (...args: readonly string[]) => user.longshore('settings', ...args).then(({ stdout }) => stdout)
  assert.equal(
    await settings('upload-limit', '20MB/s', '--schedule', 'daily all-day'),
    '20.0 MB/s, daily all-day (in force now)\n',
  )
  assert.equal(
    await settings('upload-limit', '--schedule', 'mon-fri 8:00-18:00').then((text) => text.split(' (')[0]),
    '20.0 MB/s, mon-fri 08:00-18:00',
  )
  assert.equal(await settings('upload-limit', '100Mbit/s', '--always'), '12.5 MB/s, always\n')
  assert.equal(await settings('upload-limit', 'off'), 'off\n')
  assert.equal(await settings('workers', '--upload', '4'), '4 for uploads, 8 for downloads\n')
  assert.equal(await settings('queue', 'on', '--uploads', '2'), 'on: 2 uploads and 1 download at a time\n')
  assert.equal(await settings('queue', 'off'), 'off: all go at once, by priority\n')
  assert.equal(
    await settings('disks', '--readers', '3', '--prefer', 'writes'),
    'default  3 readers, 8 writers, writes first\n',
  )
  const all = await settings()
  for (const line of [/^upload-limit +off$/m, /^workers +4 for/m, /^disks +3 readers/m, /^interfaces +off/m])
    assert.match(all, line)
})

test('a transfer that is left to the agent is listed, paused, resumed and removed', async () => {
  await slowly()
  const { code, stdout } = await user.longshore('send', 'reel.mov', '--link', '--detach')
  const id = stdout.trim()
  assert.equal(code, 0)
  assert.match(id, /^[0-9a-f]{8}$/)
  assert.match(
    (await user.longshore('ls')).stdout,
    new RegExp(`^${id} +↑ +transferring +\\d+% +20\\.0 MB .*reel\\.mov$`, 'm'),
  )

  assert.deepEqual(await user.longshore('pause', id), { code: 0, stdout: '', stderr: 'Paused: reel.mov\n' })
  assert.equal(await stateOf(id), 'paused')
  assert.equal((await user.longshore('link', id)).code, 1, 'it is not complete')
  const status = (await user.longshore('status', id)).stdout
  assert.match(status, /^STATE +DONE +SIZE +FILE$/m)
  assert.match(status, /reel\.mov$/m)

  const careful = await user.longshore('rm', id)
  assert.equal(careful.code, 2)
  assert.match(careful.stderr, /'reel\.mov' is not complete and would be given up\. Add --yes/)
  assert.equal((await user.longshore('resume', '--all')).stderr, 'Resumed: 1 transfer\n')
  assert.equal(await stateOf(id), 'transferring')
  assert.equal((await user.longshore('rm', id, '--yes')).code, 0)
  assert.equal(await stateOf(id), undefined)
  assert.match((await user.longshore('status', id)).stderr, /There is no transfer/)
})

test('the ids of transfers are completed where transfers are meant', async (t) => {
  t.after(removeAll)
  const [id = ''] = (await user.longshore('send', 'reel.mov', '--link', '--detach', '--quiet')).stdout.split('\n')
  const completed = async (...words: string[]) => {
    const script = `source <(longshore completion bash); COMP_WORDS=(longshore ${words.join(' ')} '') COMP_CWORD=${words.length + 1}; _longshore; echo "\${COMPREPLY[@]}"`
    return (await begin('bash', ['-c', script], user.env).ended).stdout
  }
  assert.equal(await completed('pause'), `${id}\n`)
  assert.equal(await completed('watch', 'rm'), '\n')
})

/** Everything that a terminal was shown, drawing by drawing. */
const drawings = (written: string): string[] =>
  written
    // A line is drawn anew from its first column.
    .split(/\u001b\[1?G|[\r\n]+/)
    .map((line) => stripVTControlCharacters(line))
    .filter((line) => line.trim() !== '')

for (const columns of [60, 80, 120]) {
  test(`a terminal of ${columns} columns shows a bar that fits, and Ctrl-C leaves the transfer to the agent`, async (t) => {
    t.after(removeAll)
    await slowly()
    const sending = user.inTerminal(['send', 'reel.mov', '--link'], columns)
    await sending.until(/% .*[1-9][\d.]* .B\/s/)
    sending.type('\u0003')
    const { code } = await sending.ended
    assert.equal(code, 130)
    const lines = drawings(sending.written())
    const bars = lines.filter((line) => line.startsWith('↑ reel.mov'))
    assert.ok(bars.length > 0 && bars.every((line) => line.length < columns), bars.join('\n'))
    assert.match(lines.join('\n'), /The agent goes on with it in the background\.\n {2}longshore status ([0-9a-f]{8})/)
    assert.equal((await listed())[0]?.state, 'transferring')
  })
}

test('with --pause-on-exit Ctrl-C pauses; resumed it arrives whole', async () => {
  await slowly()
  const sending = user.inTerminal(['send', 'reel.mov', '--link', '--pause-on-exit'])
  await sending.until(/ [1-9]\d?%/)
  sending.type('\u0003')
  assert.equal((await sending.ended).code, 130)
  const id = /To go on: longshore resume ([0-9a-f]{8})/.exec(sending.written())?.[1] ?? ''
  assert.equal(await stateOf(id), 'paused')

  await atOnce()
  await user.longshore('resume', id)
  for (let tries = 0; tries < 100 && (await stateOf(id)) !== 'complete'; tries++) await sleep(100)
  const link = await user.longshore('link', id, '--max-downloads', '1')
  assert.equal(link.code, 0, link.stderr)
  const got = await user.longshore('get', link.stdout.trim(), 'Back', '--no-package-folder')
  assert.equal(got.code, 0, got.stderr)
  assert.ok(reel.equals(await readFile(join(user.folder, 'Back/reel.mov'))))
  assert.equal((await user.longshore('rm', '--complete')).stderr, 'Removed: 2 transfers\n')
})

test('a password is asked for on a terminal and never shown', async () => {
  await atOnce()
  const sending = user.inTerminal(['send', 'reel.mov', '--link', '--password'])
  await sending.until(/Password that recipients will need/)
  sending.type('swordfish\r')
  assert.equal((await sending.ended).code, 0, sending.written())
  const url = /http:\/\/\S+secret=[\w-]+/.exec(stripVTControlCharacters(sending.written()))?.[0] ?? ''

  const getting = user.inTerminal(['get', url, 'Asked'])
  await getting.until(/Password of the link/)
  getting.type('herring\r')
  await getting.until(/That is not the password[^]*Password of the link/)
  getting.type('swordfish\r')
  assert.equal((await getting.ended).code, 0, getting.written())
  assert.match(getting.written(), /Got reel\.mov/)
  assert.doesNotMatch(sending.written() + getting.written(), /swordfish|herring/)
})

test('NO_COLOR is heeded on a terminal', async () => {
  const coloured = user.inTerminal(['ls', '--agent', 'http://127.0.0.1:9'])
  await coloured.ended
  assert.match(coloured.written(), /\u001b\[31m/)
  const plain = user.inTerminal(['ls', '--agent', 'http://127.0.0.1:9'], 80, { NO_COLOR: '1' })
  await plain.ended
  assert.doesNotMatch(plain.written(), /\u001b\[\d/)
})

test('an agent that is stopped and started goes on with what it had', async () => {
  await slowly()
  const waiting = user.begin(['send', 'reel.mov', '--link', '--json'])
  await waiting.until(/"progress":[1-9]/)
  await user.longshore('agent', 'stop')
  assert.equal((await user.longshore('ls')).code, 4)
  assert.equal((await user.longshore('agent', 'start')).code, 0)
  await atOnce()
  const { code, stdout, stderr } = await waiting.ended
  assert.equal(code, 0, stderr)
  assert.match(stdout, /"event":"complete".*secret=.*\n$/, 'who waited all the time gets the link in the end')
})
