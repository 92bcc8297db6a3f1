import assert from 'node:assert/strict'
import { mkdir, realpath, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { createConnection, listConnectionFiles, rotateGatewaySecret } from '@longshore/contract/cloud/connections'
import { newSite, newUser, type Site, type User } from '#site'

let site: Site
let user: User

before(async () => {
  ;[site, user] = await Promise.all([newSite(), newUser()])
  await writeFile(join(user.folder, 'key'), site.team.api_key)
  const { code, stderr } = await user.longshore('login', '--cloud', site.url, '--api-key-file', 'key')
  assert.equal(code, 0, stderr)
  for (const name of ['dailies', 'nas', 'other']) await mkdir(join(user.folder, name))
})
after(async () => {
  await user.leave()
  await site.stop()
})

const watch = (...args: readonly string[]) => user.longshore('watch', ...args)

interface Listed {
  readonly automations: readonly Readonly<Record<string, unknown>>[]
}

const listed = async () => (JSON.parse((await watch('--json')).stdout) as Listed).automations

test('a folder is watched, switched off, carried to another agent and left alone again', async () => {
  const options = ['--to', 'editor@example.com', '--leave-out', '*.tmp', '--after', '2', '--loose', '--delete']
  const added = await watch('add', 'dailies', ...options)
  assert.equal(added.code, 0, added.stderr)
  const [one] = await listed()
  assert.deepEqual(
    [one?.['automation_id'], one?.['type'], one?.['name'], one?.['path'], one?.['timeout'], one?.['blacklist']],
    [added.stdout.trim(), 'team_upload', 'dailies', join(user.folder, 'dailies'), 2, ['*.tmp']],
  )
  assert.deepEqual(
    [one?.['recipient_emails'], one?.['send_loose_files'], one?.['delete_files_after_upload']],
    [['editor@example.com'], true, true],
  )
  assert.match((await watch()).stdout, /idle +team upload +dailies/)
  assert.match((await watch('off', 'dailies')).stderr, /dailies is off/)
  assert.equal((await listed())[0]?.['state'], 'disabled')

  await writeFile(join(user.folder, 'carried'), (await watch('export', added.stdout.trim().slice(-8))).stdout)
  assert.equal((await watch('rm', 'dailies')).code, 0)
  assert.deepEqual(await listed(), [])
  assert.equal((await watch('import', 'carried')).code, 0)
  assert.deepEqual(
    (await listed()).map(({ name, state }) => [name, state]),
    [['dailies', 'disabled']],
  )
  assert.equal((await watch('rm', 'dailies')).code, 0)
})

test('growing files, Portals and what comes into them', async () => {
  const stream = await watch(
    'add',
    'dailies',
    '--growing',
    '--only',
    '*.mov',
    '--portal',
    'studio',
    '--from',
    'a@b.example',
  )
  assert.equal(stream.code, 0, stream.stderr)
  const fetching = await watch('fetch', 'inbox', '--since', '2026-01-01T00:00:00Z')
  assert.equal(fetching.code, 0, fetching.stderr)
  assert.deepEqual(
    (await listed()).map(({ type, timeout, whitelist }) => [type, timeout, whitelist]),
    [
      ['portal_stream', 30, ['*.mov']],
      ['all_portals_download', undefined, undefined],
    ],
  )
  assert.equal((await watch('add', 'dailies', '--portal', 'studio')).code, 2)
  assert.equal((await watch('rm', 'nothing of this name')).code, 2)
})

const gateway = (...args: readonly string[]) => user.longshore('gateway', ...args)

async function makeConnection() {
  const body = { name: 'NAS', provider: 'storage_gateway', direction: 'both' } as const
  const { id, secret = '' } = await site.client.call(createConnection, {
    params: { team_id: site.team.team_id },
    body,
  })
  await writeFile(join(user.folder, 'secret'), `${secret}\n`)
  return { id, secret }
}

interface Connected {
  readonly connections: readonly Readonly<Record<string, unknown>>[]
}

const connected = async () => (JSON.parse((await gateway('ls', '--json')).stdout) as Connected).connections

test('a folder is connected, looked into, moved and disconnected', async () => {
  const { id } = await makeConnection()
  await writeFile(join(user.folder, 'other', 'note.txt'), 'Ahoy.')
  const added = await gateway('add', 'nas', '--id', id, '--secret-file', 'secret')
  assert.equal(added.code, 0, added.stderr)
  assert.equal(added.stdout.trim(), id)
  assert.match(added.stderr, /nas is connected/)
  assert.match((await gateway()).stdout, /connected +rw +nas/)

  const set = await gateway('set', 'nas', '--root', 'other')
  assert.equal(set.code, 0, set.stderr)
  assert.equal((await connected())[0]?.['root_path'], await realpath(join(user.folder, 'other')))
  const { files } = await site.client.call(listConnectionFiles, { params: { cloud_connection_id: id }, query: {} })
  assert.deepEqual(
    files.map(({ name }) => name),
    ['note.txt'],
  )
  assert.equal((await gateway('rm', id.slice(-8))).code, 0)
  assert.deepEqual(await connected(), [])
  assert.equal((await gateway('rm', 'nas')).code, 2)
})

test('the secret is asked for in a terminal, and a wrong one is told with what to do', async () => {
  const { id } = await makeConnection()
  const typing = user.inTerminal(['gateway', 'add', 'nas', '--id', id, '--permissions', 'r'])
  await typing.until(/Secret of the storage gateway/)
  typing.type('not-the-secret\r')
  const { code } = await typing.ended
  assert.equal(code, 1)
  assert.match(typing.written(), /another secret[^]*longshore gateway rm/)
  assert.ok(!typing.written().includes('not-the-secret'))
  const [one] = await connected()
  assert.deepEqual([one?.['state'], one?.['permissions']], ['error', 'r'])
  assert.equal((await gateway('rm', 'nas')).code, 0)
})

test('a secret that was renewed is told with the command that sets the new one, and that one is enough', async () => {
  const { id } = await makeConnection()
  assert.equal((await gateway('add', 'nas', '--id', id, '--secret-file', 'secret')).code, 0)
  const { secret } = await site.client.call(rotateGatewaySecret, { params: { cloud_connection_id: id } })
  while ((await connected())[0]?.['state'] !== 'error') await sleep(100)
  assert.match((await gateway('ls')).stdout, new RegExp(`renewed.*longshore gateway set ${id.slice(-8)} --secret`))

  const wrong = await gateway('set', id.slice(-8), '--secret-file', 'secret')
  assert.equal(wrong.code, 1)
  assert.match(wrong.stderr, /another secret/)
  const typing = user.inTerminal(['gateway', 'set', id, '--secret'])
  await typing.until(/Secret of the storage gateway/)
  typing.type(`${secret}\r`)
  assert.equal((await typing.ended).code, 0, typing.written())
  assert.ok(!typing.written().includes(secret))
  const [one] = await connected()
  assert.deepEqual([one?.['state'], one?.['last_error']], ['connected', ''])
  assert.equal((await gateway('rm', 'nas')).code, 0)
})

test('what cannot be is refused before anything is asked of the server', async () => {
  const { id } = await makeConnection()
  assert.equal((await gateway('add', 'nas', '--secret-file', 'secret')).code, 2, 'without an id')
  assert.equal((await gateway('add', 'nas', '--id', id)).code, 2, 'nobody is there to ask for the secret')
  assert.equal((await gateway('add', 'gone', '--id', id, '--secret-file', 'secret')).code, 2)
  assert.equal((await gateway('add', 'nas', '--id', id, '--secret-file', 'secret', '--user-id', '0')).code, 2)
  assert.deepEqual(await connected(), [])
})
