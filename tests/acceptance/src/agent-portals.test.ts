import assert from 'node:assert/strict'
import { createUploadLink, startPortalUpload } from '@longshore/contract/agent/uploads'
import { packageMetadata } from '@longshore/contract/cloud/forms'
import { listPortalPackages } from '@longshore/contract/cloud/packages'
import { isIn, makeFiles, startAgent, untilUpload } from '#agent'
import { refused, show, use } from '#calls'
import { sql } from '#members'
import { asOwner, inPortal, makeForm, makePortal, type Portal } from '#portals'
import { test } from '#record'

// Of nobody: what a Portal takes, it takes from anybody.
const agent = await startAgent({ apiKey: null })

const sending = ({ subdomain }: { subdomain: string }, more: object = {}) => ({
  body: { subdomain, sender_email: 'sender@example.test', paths: [makeFiles({ 'a.txt': 'a' })], ...more },
})

const packagesOf = async (portal: Portal) =>
  (await use(listPortalPackages, { params: inPortal(portal), query: {} }, asOwner)).records

test('files are sent to a Portal without a session, with its code and the answers to its form', async () => {
  const portal = await makePortal({ has_access_code: true, access_code: 'open sesame' })
  await makeForm(portal)
  const more = {
    access_code: 'open sesame',
    metadata: { scene: '12A', note: 'Take two' },
    package_name: 'Day 12',
    package_description: 'As agreed',
    priority: 1,
  }
  const { upload_id, package_id } = await show(startPortalUpload, sending(portal, more), agent.at)
  const upload = await untilUpload(agent, upload_id, isIn('complete'))
  assert.deepEqual([upload.type, upload.name, upload.priority], ['portal', 'Day 12', 1])
  const [pkg] = await packagesOf(portal)
  assert.deepEqual(
    [pkg?.id, pkg?.name, pkg?.description, pkg?.sender, pkg?.state],
    [package_id, 'Day 12', 'As agreed', 'sender@example.test', 'finalized'],
  )
  const as = { packageToken: pkg?.access_token ?? '' }
  const { fields } = await use(packageMetadata, { params: { package_id } }, { as })
  assert.deepEqual(
    fields.map(({ name, value }) => [name, value]),
    [
      ['scene', '12A'],
      ['note', 'Take two'],
    ],
  )
  await refused(createUploadLink, { params: { upload_id } }, agent.at, 'session_is_nil')
})

test('a Portal upload has no links to give away', async () => {
  const portal = await makePortal()
  const own = await startAgent()
  const { upload_id } = await use(startPortalUpload, sending(portal), own.at)
  await untilUpload(own, upload_id, isIn('complete'))
  await refused(createUploadLink, { params: { upload_id } }, own.at, 'upload_not_team')
})

test('whatever a Portal refuses, the agent refuses, and nothing is queued', async () => {
  await refused(startPortalUpload, sending({ subdomain: 'nowhere-at-all' }), agent.at, 'portal_not_found')

  const closed = await makePortal({ active: false })
  await refused(startPortalUpload, sending(closed), agent.at, 'portal_inactive')

  const guarded = await makePortal({ has_access_code: true, access_code: 'the code' })
  await refused(startPortalUpload, sending(guarded, { access_code: 'no' }), agent.at, 'access_code_wrong')

  const plain = await makePortal()
  await refused(startPortalUpload, sending(plain, { metadata: { a: 'b' } }), agent.at, 'form_not_found')
  await refused(startPortalUpload, sending(plain, { paths: ['/nothing/here'] }), agent.at, 'path_not_found')

  const asking = await makePortal()
  await makeForm(asking)
  await refused(startPortalUpload, sending(asking), agent.at, 'form_field_required')
  await refused(startPortalUpload, sending(asking, { metadata: { note: 'x' } }), agent.at, 'form_field_required')

  const over = await makePortal()
  await sql(`update portals set expiry_enabled = true, expiry = now() - interval '1 minute' where id = '${over.id}'`)
  await refused(startPortalUpload, sending(over), agent.at, 'portal_expired')
  for (const portal of [guarded, plain, asking]) assert.deepEqual(await packagesOf(portal), [])
})

test('a Portal cannot be reached without the cloud', async () => {
  const alone = await startAgent({ apiKey: null, cloudUrl: 'http://127.0.0.1:9' })
  await refused(startPortalUpload, sending({ subdomain: 'any' }), alone.at, 'cloud_unreachable')
})
