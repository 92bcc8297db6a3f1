import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { createApiKey, listApiKeys } from '@longshore/contract/cloud/api-keys'
import { addFile, addFiles, listFiles } from '@longshore/contract/cloud/files'
import { createLink, listLinks } from '@longshore/contract/cloud/links'
import { createTeamPackage } from '@longshore/contract/cloud/packages'
import { createSpace, listSpaces } from '@longshore/contract/cloud/spaces'
import { createTag, listTags } from '@longshore/contract/cloud/tags'
import { inviteMember } from '@longshore/contract/cloud/team'
import { ask, expectRefusal, type How, refused, replyOf, show, use } from '#calls'
import { checkOnce } from '#check-once'
import { makeMember } from '#members'
import { test } from '#record'
import { target } from '#target'
import { inPackage, makePackage, managing, newFile, someName } from '#walk'

const team = { team_id: target.team_id }
const fields = { name: 'Once', description: '', recipients: [] }
const owner = { as: { apiKey: target.api_key } }

test('an API key is made once', async () => {
  const as = { userToken: (await makeMember('admin')).token }
  const count = async () => (await use(listApiKeys, { params: team }, { as })).length
  const input = { params: team, body: { name: 'once', state: 'active' } }
  const other = { params: team, body: { name: 'twice', state: 'active' } }
  await checkOnce(createApiKey, input, other, { as }, count)
})

test('a tag, a Teamspace and an invitation are made once', async () => {
  const tags = async () => (await use(listTags, { params: team }, owner)).length
  const named = (name: string) => ({ params: team, body: { name } })
  await checkOnce(createTag, named(someName('once')), named(someName('twice')), owner, tags)
  const spaces = async () => (await use(listSpaces, { params: team, query: {} }, owner)).metadata.total
  await checkOnce(createSpace, named(someName('once')), named(someName('twice')), owner, spaces)

  const email = `${randomUUID()}@example.test`
  const invited = (policy_key: string) => ({ params: team, body: { email, policy_key } })
  const keyed = { ...owner, idempotencyKey: randomUUID() }
  const first = await show(inviteMember, invited('member') as never, keyed)
  assert.deepEqual(await show(inviteMember, invited('member') as never, keyed), first)
  await refused(inviteMember, invited('admin'), keyed, 'idempotency_conflict')
})

test('a file, a batch of files and a link are made once', async () => {
  const pkg = await makePackage()
  const params = inPackage(pkg)
  const files = async () => (await use(listFiles, { params }, managing(pkg))).length
  const links = async () => (await use(listLinks, { params }, managing(pkg))).length
  const body = newFile({ size: 1 })
  await checkOnce(addFile, { params, body }, { params, body: newFile() }, managing(pkg), files)
  const batch = { files: [newFile({ size: 1 })] }
  const otherBatch = { files: [newFile({ size: 1 })] }
  await checkOnce(addFiles, { params, body: batch }, { params, body: otherBatch }, managing(pkg), files)
  const other = { params, body: { access_limit: 5 } }
  await checkOnce(createLink, { params, body: {} }, other, managing(pkg), links)
})

test('a package is made once, also when both calls come at the same time', async () => {
  const keyed = { ...owner, idempotencyKey: randomUUID() }
  const answers = await Promise.all(
    Array.from({ length: 10 }, () => ask(createTeamPackage, { params: team, body: fields }, keyed)),
  )
  const replies = answers.map((answer) => replyOf(createTeamPackage, answer))
  assert.ok(answers.every(({ status }) => status === 201))
  assert.equal(new Set(replies.map(({ id }) => id)).size, 1)
  const different = { params: team, body: { ...fields, name: 'Another' } }
  await refused(createTeamPackage, different, keyed, 'idempotency_conflict')
})

test('a key belongs to its credential, and to the address it was sent to', async () => {
  const idempotencyKey = randomUUID()
  const make = (how: How) => use(createTeamPackage, { params: team, body: fields }, { ...how, idempotencyKey })
  const first = await make(owner)
  const member = await makeMember('member')
  const second = await make({ as: { userToken: member.token } })
  assert.notEqual(second.id, first.id)
  const [pkg, other] = [await makePackage(), await makePackage()]
  const body = newFile({ size: 1 })
  const one = await use(addFile, { params: inPackage(pkg), body }, { ...managing(pkg), idempotencyKey })
  const two = await use(addFile, { params: inPackage(other), body }, { ...managing(other), idempotencyKey })
  assert.notEqual(one.file.id, two.file.id)
})

test('a call that was refused takes no key', async () => {
  const keyed = { ...owner, idempotencyKey: randomUUID() }
  const wrong = { params: team, body: { ...fields, chunk_size: 1 } }
  await refused(createTeamPackage, wrong, keyed, 'validation_failed')
  await show(createTeamPackage, { params: team, body: fields }, keyed)
})

test('a repeat is authorized anew', async () => {
  const as = { userToken: (await makeMember('admin')).token }
  const idempotencyKey = randomUUID()
  const input = { params: team, body: { state: 'active' as const } }
  await use(createApiKey, input, { as, idempotencyKey })
  const stranger = { params: { team_id: randomUUID() }, body: input.body }
  await refused(createApiKey, stranger, { as, idempotencyKey }, 'team_not_found')
})

test('the order of fields makes no other request of it', async () => {
  const keyed = { ...owner, idempotencyKey: randomUUID() }
  const text = '{"name":"Once","description":"","recipients":[]}'
  const spaced = '{ "name": "Once",\n "description": "", "recipients": [] }'
  const first = await ask(createTeamPackage, { params: team }, { ...keyed, text })
  const second = await ask(createTeamPackage, { params: team }, { ...keyed, text: spaced })
  assert.equal(second.text, first.text)
})

test('a key that is no key is refused', async () => {
  for (const value of ['', 'a b', 'x'.repeat(256), 'ä']) {
    const answer = await ask(
      createTeamPackage,
      { params: team, body: fields },
      { ...owner, headers: [['idempotency-key', value]] },
    )
    expectRefusal(createTeamPackage, answer, 'malformed_request')
  }
  const twice = [
    ['idempotency-key', 'a'],
    ['idempotency-key', 'b'],
  ] as const
  const input = { params: team, body: fields }
  await refused(createTeamPackage, input, { ...owner, headers: twice }, 'malformed_request')
})

test('without a key every call makes another', async () => {
  const ids = new Set<string>()
  for (let time = 0; time < 3; time += 1) {
    ids.add((await use(createTeamPackage, { params: team, body: fields }, owner)).id)
  }
  assert.equal(ids.size, 3)
})
