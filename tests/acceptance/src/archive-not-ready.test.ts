import assert from 'node:assert/strict'
import { after } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { setUp } from '@longshore/contract/cloud/account'
import { addFiles, fileUrl, finalizeFiles, listFiles } from '@longshore/contract/cloud/files'
import { createLink, lookUpLink } from '@longshore/contract/cloud/links'
import { createTeamPackage, finalizePackage } from '@longshore/contract/cloud/packages'
import { refused, use } from '#calls'
import { noteSecret, test } from '#record'
import { startNewServer } from '#second-server'
import { store } from '#storage'

// Without a worker: what nobody has told, nobody finds out.
const server = await startNewServer('unread')
after(server.stop)
const at = server.url

/** Printed behind the first answer of a new server. */
async function setupToken(): Promise<string> {
  for (let look = 0; look < 100; look++) {
    const token = /\/setup#([\w-]+)/.exec(server.output())?.[1]
    if (token !== undefined) {
      noteSecret(token)
      return token
    }
    await sleep(100)
  }
  throw new Error(`The server printed no setup link: ${server.output().slice(-500)}`)
}

test('an archive with a file that nobody has read yet is to be asked for later; the file itself is there', async () => {
  const token = await setupToken()
  const owner = { team_name: 'Unread', name: 'Owner', email: 'unread@example.test', password: 'a long first password' }
  const { token: userToken, teams } = await use(setUp, { body: { ...owner, token } }, { at })
  const body = { name: 'Unread', description: '', recipients: [] }
  const params = { team_id: teams[0]?.id ?? '' }
  const pkg = await use(createTeamPackage, { params, body }, { at, as: { userToken } })
  const managing = { at, as: { packageToken: pkg.access_token ?? '' } }
  const within = { package_id: pkg.id }

  const wanted = { kind: 'file' as const, name: 'a', path: '', size: 3, last_modified: '2026-01-02T03:04:05.000Z' }
  const added = await use(addFiles, { params: within, body: { files: [wanted] } }, managing)
  await store(added.files[0]?.put_blueprint, Buffer.from('abc'))
  const file_id = added.files[0]?.file.id ?? ''
  await use(finalizeFiles, { params: within, body: { files: [{ file_id, size: 3 }] } }, managing)
  await use(finalizePackage, { params: within }, managing)
  const link = await use(createLink, { params: within, body: {} }, managing)
  const opened = await use(lookUpLink, { params: { link_id: link.id }, query: { secret: link.secret } }, { at })
  const reading = { at, as: { packageToken: opened.package_token } }

  const archive = (await use(listFiles, { params: within }, reading)).find(({ kind }) => kind === 'zip_mac')
  assert.ok(archive?.size !== undefined, 'its size is known all the same')
  const input = { params: { ...within, file_id: archive.id } }
  const { answer } = await refused(fileUrl, input, reading, 'archive_not_ready')
  assert.match(String(answer.headers['retry-after']), /^[1-9]\d*$/)
  await use(fileUrl, { params: { ...within, file_id } }, reading)
})
