import assert from 'node:assert/strict'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { after } from 'node:test'
import * as wire from '@longshore/contract/agent/session'
import { startUpload } from '@longshore/contract/agent/uploads'
import { changePassword } from '@longshore/contract/cloud/account'
import { type Agent, makeFiles, startAgent } from '#agent'
import { refused, show, use } from '#calls'
import { send } from '#http'
import { makeMember } from '#members'
import { noteShown, test } from '#record'
import { startSecondServer } from '#second-server'
import { target } from '#target'

const headStatus = async ({ url }: Agent) => {
  const { status, text } = await send({ method: 'HEAD', url: `${url}/api/v1/login` })
  assert.equal(text, '')
  if (status === 200) noteShown('checkSession', 'success')
  if (status === 401) noteShown('checkSession', 'session_is_nil')
  if (status === 503) noteShown('checkSession', 'cloud_unreachable')
  return status
}

/** A port of this machine where nobody listens. */
const nobody = 'http://127.0.0.1:9'

// Tries at passwords are counted by address, and every agent of this run calls from the same: so on a server of their own.
const server = await startSecondServer({ LONGSHORE_GUESSES_PER_MINUTE: '1000' })
after(() => server.stop())
const agent = await startAgent({ cloudUrl: server.url })
const nobodys = await startAgent({ apiKey: null, cloudUrl: server.url })

test('an agent that was started with an API key has the session of its owner', async () => {
  const session = await show(wire.readSession, {}, agent.at)
  assert.equal(session.user.id, target.owner.id)
  const team = session.teams.find(({ id }) => id === target.team_id)
  assert.deepEqual(
    [
      team?.custom_expiry_default,
      team?.custom_expiry_enabled,
      team?.download_limit_enabled,
      team?.max_email_recipients,
    ],
    [10, true, false, 100],
  )
  assert.deepEqual(await show(wire.listTeams, {}, agent.at), session.teams)
  assert.equal(await headStatus(agent), 200)
})

test('a wrong password is no session, and leaves the one there is alone', async () => {
  const body = { email: target.owner.email, password: 'not the password' }
  const { message } = await refused(wire.login, { body }, agent.at, 'session_is_nil')
  assert.equal(message, 'session is nil')
  assert.equal(await headStatus(agent), 200)
})

test('without a session the agent answers 401 with code 262146 and "session is nil"', async () => {
  const paths = [makeFiles({ 'a.txt': 'a' })]
  for (const [endpoint, input] of [
    [wire.readSession, {}],
    [wire.listTeams, {}],
    [startUpload, { body: { team_id: target.team_id, paths } }],
  ] as const) {
    const { code, message, answer } = await refused(endpoint, input, nobodys.at, 'session_is_nil')
    assert.deepEqual([code, message], [262_146, 'session is nil'])
    assert.match(String(answer.headers['content-type']), /^application\/json/)
  }
  assert.equal(await headStatus(nobodys), 401)
})

test('a key that the cloud rejects is no session', async () => {
  const rejected = await startAgent({ apiKey: 'lsk_not-a-key-of-anybody' })
  await refused(wire.readSession, {}, rejected.at, 'session_is_nil')
  await refused(wire.listTeams, {}, rejected.at, 'session_is_nil')
  const body = { team_id: target.team_id, paths: [makeFiles({ 'a.txt': 'a' })] }
  await refused(startUpload, { body }, rejected.at, 'session_is_nil')
  assert.equal(await headStatus(rejected), 401)
})

test('a token that was ended elsewhere is no session any more', async () => {
  const { id, email, password, token } = await makeMember('member')
  await use(wire.login, { body: { email, password } }, nobodys.at)
  assert.equal(await headStatus(nobodys), 200)
  const body = { current_password: password, password: 'a new password altogether' }
  await use(changePassword, { params: { user_id: id }, body }, { as: { userToken: token } })
  assert.equal(await headStatus(nobodys), 401)
})

test('a person signs in, stays so over a restart, and signs out', async () => {
  const { email, password, id } = await makeMember('member')
  const session = await show(wire.login, { body: { email, password } }, nobodys.at)
  assert.equal(session.user.id, id)
  assert.equal(statSync(join(nobodys.dataDir, 'agent.db')).mode & 0o777, 0o600)

  await nobodys.stop()
  const second = await nobodys.again()
  assert.deepEqual(await use(wire.readSession, {}, second.at), session)
  await show(wire.logout, {}, second.at)
  assert.equal(await headStatus(second), 401)
})

test('a cloud that does not answer is told from a session that is none', async () => {
  const alone = await startAgent({ cloudUrl: nobody })
  await refused(wire.readSession, {}, alone.at, 'cloud_unreachable')
  await refused(wire.listTeams, {}, alone.at, 'cloud_unreachable')
  await refused(wire.login, { body: { email: 'a@example.test', password: 'p' } }, alone.at, 'cloud_unreachable')
  const body = { team_id: target.team_id, paths: [makeFiles({ 'a.txt': 'a' })] }
  await refused(startUpload, { body }, alone.at, 'cloud_unreachable')
  assert.equal(await headStatus(alone), 503)
})
