import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { listFiles } from '@longshore/contract/cloud/files'
import { createForm, updateForm } from '@longshore/contract/cloud/forms'
import { lookUpLink } from '@longshore/contract/cloud/links'
import { createWebhook } from '@longshore/contract/cloud/webhooks'
import { Webhook } from 'standardwebhooks'
import { use } from '#calls'
import { mailsTo } from '#mail'
import { makeMember } from '#members'
import { answer, inPortal, makePortal, newForm, sendTo } from '#portals'
import { test } from '#record'
import { target } from '#target'
import { fetchFile, finalize, upload } from '#walk'

interface Event {
  readonly event_id: string
  readonly event_type: string
  readonly object: {
    readonly id: string
    readonly portal_id?: string
    readonly state: string
    readonly total_files: number
  }
}

/** Somebody else's endpoint, which believes nothing whose signature does not hold. */
async function listen() {
  const heard: { headers: Record<string, string>; body: string }[] = []
  const server = createServer((request, reply) => {
    const pieces: Buffer[] = []
    request.on('data', (piece: Buffer) => pieces.push(piece))
    request.on('end', () => {
      heard.push({ headers: request.headers as Record<string, string>, body: Buffer.concat(pieces).toString() })
      reply.end()
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, heard, server }
}

const python = (script: string, input: string): unknown => {
  const { stdout, stderr, status } = spawnSync('python3', ['-c', script], { input, encoding: 'utf8' })
  assert.equal(status, 0, stderr)
  return JSON.parse(stdout)
}

const csvRows = (text: string) =>
  python(
    'import csv,io,json,sys; print(json.dumps(list(csv.DictReader(io.StringIO(sys.stdin.read(), newline="")))))',
    text,
  )

const xmlFields = (text: string) =>
  python(
    'import json,sys,xml.etree.ElementTree as e; print(json.dumps([[f.get("name"), f.text] for f in e.fromstring(sys.stdin.read()).iter("field")]))',
    text,
  )

test('the whole life of a Portal package: form, answer, upload, files with the answers, mail, signed webhooks', async (t) => {
  const admin = { as: { userToken: (await makeMember('admin')).token } }
  const recipient = `rita-${randomBytes(5).toString('hex')}@example.test`
  const endpoint = await listen()
  t.after(() => {
    endpoint.server.closeAllConnections()
    endpoint.server.close()
  })

  // An admin makes a Portal with a webhook, gives it a form and sets its fields.
  const hook = await use(
    createWebhook,
    {
      params: { team_id: target.team_id },
      body: { active: true, events: ['package.created', 'package.finalized'], method: 'POST', url: endpoint.url },
    },
    admin,
  )
  const portal = await makePortal({ recipients: [recipient], custom_webhooks: [{ id: hook.id }] }, admin)
  const delivery_formats: ('json' | 'csv' | 'xml' | 'email_body')[] = ['json', 'csv', 'xml', 'email_body']
  const form = await use(createForm, { params: inPortal(portal), body: { name: 'Camera', delivery_formats } }, admin)
  const fields = newForm().fields ?? []
  await use(updateForm, { params: { form_id: form.id }, body: { name: 'Camera', delivery_formats, fields } }, admin)

  // A sender answers it, creates the package with the answer, uploads and finalizes.
  const scene = '12b; "night", ext.'
  const response = await answer(portal, { scene: { value: scene } })
  const pkg = await sendTo(portal, { form_data_id: response.id })
  const bytes = randomBytes(100_000)
  const added = await upload(pkg, bytes, { name: 'A001.mov', path: 'cam A' })
  await finalize(pkg)

  // The recipient's mail carries the answers and a link that leads to the bytes and to the answers as files.
  const mail = (await mailsTo(recipient, 1))[0]
  assert.ok(mail !== undefined && mail.text.includes(scene), mail?.text)
  const [, linkId = '', secret = ''] = /\/([0-9a-f-]{36})\?secret=([\w-]+)/.exec(mail.text) ?? []
  const link = await use(lookUpLink, { params: { link_id: linkId }, query: { secret } })
  const reading = { as: { packageToken: link.package_token } }
  const files = await use(listFiles, { params: { package_id: pkg.id } }, reading)
  const content = async (name: string) => {
    const file = files.find((one) => one.name === name && one.path === '')
    assert.ok(file !== undefined, `${name} is not in the root`)
    return (await fetchFile(pkg, file.id, link.package_token)).text
  }
  const expected = [
    ['scene', scene],
    ['note', 'none'],
  ]
  const asJson = JSON.parse(await content('metadata.json')) as { fields: { name: string; value: string }[] }
  assert.deepEqual(
    asJson.fields.map(({ name, value }) => [name, value]),
    expected,
  )
  const asCsv = csvRows(await content('metadata.csv')) as { name: string; value: string }[]
  assert.deepEqual(
    asCsv.map(({ name, value }) => [name, value]),
    expected,
  )
  assert.deepEqual(xmlFields(await content('metadata.xml')), expected)
  assert.deepEqual((await fetchFile(pkg, added.file.id, link.package_token)).body, bytes)
  assert.equal(link.total_files, 4)

  // The webhook was told of both changes, under signatures that the Standard Webhooks library believes. It is told as
  // well of what the Team sends meanwhile, in other tests.
  const ofPackage = () => endpoint.heard.filter(({ body }) => body.includes(pkg.id))
  const deadline = Date.now() + 20_000
  while (ofPackage().length < 2 && Date.now() < deadline) await sleep(20)
  const library = new Webhook(hook.secret)
  const events = ofPackage().map(({ headers, body }) => {
    const event = library.verify(body, headers) as Event
    assert.equal(headers['webhook-id'], event.event_id)
    assert.throws(() => library.verify(`${body} `, headers))
    return event
  })
  const told = events.toSorted((a, b) => (a.event_type < b.event_type ? -1 : 1))
  assert.deepEqual(
    told.map(({ event_type, object }) => [event_type, object.id, object.portal_id, object.state, object.total_files]),
    [
      ['package.created', pkg.id, portal.id, 'new', 0],
      ['package.finalized', pkg.id, portal.id, 'finalized', 4],
    ],
  )
})
