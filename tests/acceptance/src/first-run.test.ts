import assert from 'node:assert/strict'
import { after } from 'node:test'
import { setUp, signIn, whoAmI } from '@longshore/contract/cloud/account'
import { refused, show, use } from '#calls'
import { ownAddress } from '#http'
import { noteSecret, test } from '#record'
import { startNewServer } from '#second-server'

const server = await startNewServer('first_run')
after(server.stop)
const at = server.url
const team = {
  team_name: 'Käpt’n & Crew',
  name: 'First Owner',
  email: 'first@example.test',
  password: 'a long first password',
}

test('a new server has no account that anybody could know', async () => {
  for (const [email, password] of [
    ['admin@example.com', 'admin'],
    ['admin', 'admin'],
    ['owner@example.test', 'password'],
    ['root@localhost', 'changeme'],
  ] as const) {
    await refused(signIn, { body: { email, password } }, { at, from: ownAddress() }, 'login_failed')
  }
})

test('the printed link makes the first Team and its Owner, once', async () => {
  const token = /\/setup#([\w-]+)/.exec(server.output())?.[1] ?? ''
  noteSecret(token)
  assert.ok(token.length >= 32, server.output().slice(-500))
  // The link is for the terminal: no line of the log has it.
  const logged = server
    .output()
    .split('\n')
    .filter((line) => line.startsWith('{') && line.includes(token))
  assert.deepEqual(logged, [])

  await refused(setUp, { body: { ...team, token: `${token}x` } }, { at }, 'setup_not_found')
  await refused(setUp, { body: { ...team, token, password: 'short' } }, { at }, 'validation_failed')
  await refused(setUp, { body: { ...team, token, subdomain: '-bad-' } }, { at }, 'validation_failed')
  const signedIn = await show(setUp, { body: { ...team, token } }, { at })
  assert.equal(signedIn.user.email, team.email)
  const [made] = signedIn.teams
  assert.deepEqual([made?.name, made?.subdomain], [team.team_name, 'ka-pt-n-crew'])
  assert.equal(signedIn.user.primary_team_id, made?.id)

  const second = { ...team, token, email: 'second@example.test' }
  await refused(setUp, { body: second }, { at }, 'setup_not_found')
  const again = await use(signIn, { body: { email: team.email, password: team.password } }, { at, from: ownAddress() })
  const me = await use(whoAmI, {}, { at, as: { userToken: again.token } })
  assert.deepEqual(me.teams, signedIn.teams)
})
