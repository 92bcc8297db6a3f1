import assert from 'node:assert/strict'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { newSite, newUser, type Site, type User } from '#site'

let site: Site
let user: User

before(async () => {
  ;[site, user] = await Promise.all([newSite(), newUser()])
  await writeFile(join(user.folder, 'key'), site.team.api_key)
  const { code, stderr } = await user.longshore('login', '--cloud', site.url, '--api-key-file', 'key')
  assert.equal(code, 0, stderr)
  await mkdir(join(user.folder, 'dailies'))
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
