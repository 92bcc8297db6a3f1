import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { realpathSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import * as automations from '@longshore/contract/agent/automations'
import { listDownloads, startDownload } from '@longshore/contract/agent/downloads'
import { listGateways, registerGateway } from '@longshore/contract/agent/gateway'
import { createUploadLink, listUploads, startPortalUpload, startUpload } from '@longshore/contract/agent/uploads'
import { listLinks } from '@longshore/contract/cloud/links'
import { listTeamPackages, readTeamPackage } from '@longshore/contract/cloud/packages'
import { type Agent, makeFiles, makeFolder, sendAsTeam, startAgent } from '#agent'
import { ask, expectRefusal, refused, use } from '#calls'
import { checkOnce } from '#check-once'
import { makePortal } from '#portals'
import { test } from '#record'
import { target } from '#target'
import { someName } from '#walk'

const agent = await startAgent()
const team = { team_id: target.team_id }
const sendingTeam = { ...team, recipient_emails: [] }
const asOwner = { as: { apiKey: target.api_key } }

const uploads = async (at = agent.at) => (await use(listUploads, { query: {} }, at)).total
const downloads = async () => (await use(listDownloads, { query: {} }, agent.at)).total
const listed = async () => (await use(automations.listAutomations, {}, agent.at)).automations.length

const packagesOf = async (name: string) =>
  (await use(listTeamPackages, { params: team, query: { name, status: ['new', 'finalized'] } }, asOwner)).metadata.total

test('an upload to a Team or a Portal is started once', async () => {
  const paths = [makeFiles({ 'a.txt': 'a' })]
  const named = (package_name: string) => ({ body: { ...team, paths, package_name } })
  const name = someName('Once')
  await checkOnce(startUpload, named(name), named(someName('Twice')), agent.at, uploads)
  assert.equal(await packagesOf(name), 1)
  const { subdomain } = await makePortal()
  const sent = (sender_email: string) => ({ body: { subdomain, sender_email, paths } })
  await checkOnce(startPortalUpload, sent('a@example.test'), sent('b@example.test'), agent.at, uploads)
})

test('a link is made once, and a download is started once', async () => {
  const { upload_id, package_id } = await sendAsTeam(agent, makeFiles({ 'a.txt': 'a' }))
  const { access_token: packageToken = '' } = await use(readTeamPackage, { params: { ...team, package_id } }, asOwner)
  const links = async () => (await use(listLinks, { params: { package_id } }, { as: { packageToken } })).length
  const wish = (access_limit: number) => ({ params: { upload_id }, body: { access_limit } })
  await checkOnce(createUploadLink, wish(1), wish(2), agent.at, links)

  const { url } = await use(createUploadLink, { params: { upload_id }, body: {} }, agent.at)
  const into = (dst_folder: string) => ({ body: { url, dst_folder } })
  await checkOnce(startDownload, into(makeFolder()), into(makeFolder()), agent.at, downloads)
})

test('an automation is made once, also one that is imported', async () => {
  const named = (more: object) => (name: string) => ({ body: { name, enabled: false, path: makeFolder(), ...more } })
  const fetching = (more: object) => (name: string) => ({
    body: { name, enabled: false, dst_folder: makeFolder(), ...more },
  })
  const portal = { portal_subdomain: 'any-portal' }
  const sending = { ...portal, sender_email: 'sender@example.test' }
  const made = [
    [automations.createTeamUpload, named({ ...sendingTeam, timeout: 1 })],
    [automations.createPortalUpload, named({ ...sending, timeout: 1 })],
    [automations.createTeamStream, named({ ...sendingTeam, timeout: 5 })],
    [automations.createPortalStream, named({ ...sending, timeout: 5 })],
    [automations.createPortalDownload, fetching(portal)],
    [automations.createAllPortalsDownload, fetching(team)],
  ] as const
  for (const [endpoint, wish] of made) await checkOnce(endpoint, wish('One'), wish('Another'), agent.at, listed)

  const exported = async (name: string) => {
    const elsewhere = await startAgent()
    const body = { ...sendingTeam, name, enabled: false, path: makeFolder(), timeout: 1 }
    const { automation_id } = await use(automations.createTeamUpload, { body }, elsewhere.at)
    const params = { type: 'team_upload' as const, automation_id }
    return { body: await use(automations.exportAutomation, { params, query: {} }, elsewhere.at) }
  }
  await checkOnce(automations.importAutomation, await exported('One'), await exported('Another'), agent.at, listed)
})

test('a gateway is registered once', async () => {
  const gateways = async () => (await use(listGateways, {}, agent.at)).connections.length
  const root_path = realpathSync(makeFolder())
  const wish = (id: string) => ({ body: { id, name: 'NAS', permissions: 'r', root_path, secret: 'no secret of any' } })
  const keyed = { ...agent.at, idempotencyKey: randomUUID() }
  const first = wish(randomUUID())
  const before = await gateways()
  // Whether it is connected by now may differ, so the reply is the first one.
  assert.deepEqual(await use(registerGateway, first as never, keyed), await use(registerGateway, first as never, keyed))
  assert.equal(await gateways(), before + 1)
  await refused(registerGateway, wish(randomUUID()), keyed, 'idempotency_conflict')
})

test('a key is free again after a refusal, and must be one', async () => {
  const keyed = { ...agent.at, idempotencyKey: randomUUID() }
  const paths = [makeFiles({ 'a.txt': 'a' })]
  const body = { ...team, paths: [join(makeFolder(), 'nothing')] }
  await refused(startUpload, { body }, keyed, 'path_not_found')
  await use(startUpload, { body: { ...team, paths } }, keyed)
  const odd = await ask(startUpload, { body: { ...team, paths } }, { ...agent.at, idempotencyKey: 'two words' })
  expectRefusal(startUpload, odd, 'malformed_request')
})

/** Makes an agent that has ended forget that the call under this key was answered. */
function forgetReply({ dataDir }: Agent, key: string): void {
  using memory = new DatabaseSync(join(dataDir, 'agent.db'))
  assert.equal(memory.prepare('update repeats set reply = null where key = ?').run(key).changes, 1)
}

test('two calls at once under one key are one, and an agent that was killed before it answered goes on with it', async () => {
  const one = await startAgent()
  const name = someName('Killed')
  const body = { ...team, paths: [makeFiles({ 'a.txt': 'a' })], package_name: name }
  const key = randomUUID()
  const start = (at: Agent) => use(startUpload, { body }, { ...at.at, idempotencyKey: key })
  const [first, second] = await Promise.all([start(one), start(one)])
  assert.deepEqual(second, first)
  await one.stop('SIGKILL')
  forgetReply(one, key)
  const again = await one.again()
  assert.deepEqual(await start(again), first)
  assert.deepEqual([await uploads(again.at), await packagesOf(name)], [1, 1])
})
