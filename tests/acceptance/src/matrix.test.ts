import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after } from 'node:test'
import { whoAmI } from '@longshore/contract/cloud/account'
import { listApiKeys } from '@longshore/contract/cloud/api-keys'
import { listFiles } from '@longshore/contract/cloud/files'
import { listLinks } from '@longshore/contract/cloud/links'
import { listFormTemplates } from '@longshore/contract/cloud/forms'
import { deletePackage, readPackage } from '@longshore/contract/cloud/packages'
import { readPortal } from '@longshore/contract/cloud/portals'
import { listConnections } from '@longshore/contract/cloud/connections'
import { listWebhooks } from '@longshore/contract/cloud/webhooks'
import type { Endpoint } from '@longshore/contract/endpoint'
import { type AnyInput, ask, errorOf, expectRefusal, show, use } from '#calls'
import { makeCast } from '#cast'
import { nameOf, servedEndpoints } from '#endpoints'
import { type Answer, ownAddress } from '#http'
import { type Presented, presentedAt } from '#presented'
import { noteCells, test } from '#record'
import { makeSceneApart, requestFor, requestToSpend, type Scene } from '#scene'
import { inPackage, makePackage, managing } from '#walk'

// Of a Team of its own: what other tests do beside it must not look like a refused call's doing.
const scene = await makeSceneApart()
const other = await makeSceneApart()
const cast = await makeCast(scene)
const served = await servedEndpoints()

let cells = 0
after(() => console.log(`matrix: ${cells} cells of ${served.size} endpoints`))

/** What of the scene a refused call could have changed. */
async function snapshot({
  teamId,
  owner,
  hook,
  connection,
  gateway,
  portal,
  asking,
  template,
  open,
  sent,
}: Scene): Promise<string> {
  const as = { userToken: owner.token }
  const parts = await Promise.all([
    ...[open, sent].flatMap(({ pkg }) => [
      use(readPackage, { params: inPackage(pkg) }, managing(pkg)).then((read) => ({ ...read, access_token: '' })),
      use(listFiles, { params: inPackage(pkg) }, managing(pkg)),
      use(listLinks, { params: inPackage(pkg) }, managing(pkg)),
    ]),
    use(listApiKeys, { params: { team_id: teamId } }, { as }).then((keys) =>
      keys.map((key) => ({ ...key, last_request_at: '' })),
    ),
    use(listWebhooks, { params: { team_id: teamId } }, { as }).then((hooks) =>
      hooks.filter(({ id }) => id === hook.id),
    ),
    use(listConnections, { params: { team_id: teamId } }, { as }).then((all) =>
      all.filter(({ id }) => id === connection.id || id === gateway.id),
    ),
    ...[portal.id, asking.portalId].map((portal_id) => use(readPortal, { params: { portal_id } }, { as })),
    use(listFormTemplates, { params: { team_id: teamId } }, { as }).then((all) =>
      all.filter(({ id }) => id === template.id),
    ),
    use(whoAmI, {}, { as }),
  ])
  return JSON.stringify(parts)
}

const outcomeOf = (answer: Answer): string => (answer.status < 300 ? String(answer.status) : errorOf(answer).error)

/** A refusal names nothing of these Teams that the caller did not send. */
function checkNothingLeaks(answer: Answer, input: AnyInput, scenes: readonly Scene[]): void {
  const sent = JSON.stringify(input)
  const foreign = scenes.flatMap(
    ({
      teamId,
      owner,
      key,
      tag,
      space,
      mate,
      hook,
      connection,
      gateway,
      transfer,
      portal,
      asking,
      template,
      open,
      sent,
    }) => [
      teamId,
      owner.id,
      owner.email,
      key.id,
      tag.id,
      space.id,
      mate.email,
      mate.membership_id,
      hook.id,
      hook.deliveryId,
      connection.id,
      gateway.id,
      transfer.id,
      portal.id,
      portal.subdomain,
      asking.formId,
      template.id,
      ...[open, sent].flatMap(({ pkg, added, link }) => [
        pkg.id,
        pkg.name,
        added.file.id,
        added.file.name,
        link.id,
        link.secret,
      ]),
    ],
  )
  const leaked = foreign.filter((word) => answer.text.includes(word) && !sent.includes(word))
  assert.deepEqual(leaked, [])
}

async function checkCell(endpoint: Endpoint, presented: Presented): Promise<void> {
  const name = nameOf(endpoint)
  const { outcome, input: shared } = requestFor(name, scene)
  const { expected } = presented
  const through = expected === 'through'
  const input = through ? await requestToSpend(name, scene) : shared
  // Each cell comes from elsewhere: what is under test is who calls, not how often.
  const answer = await ask(endpoint, input, { headers: presented.headers, from: ownAddress() })
  const cell = `${name} with ${presented.name}`
  assert.equal(outcomeOf(answer), through ? outcome : expected, `${cell}: ${answer.text.slice(0, 300)}`)
  if (answer.status >= 400) checkNothingLeaks(answer, input, through ? [other] : [scene, other])
  if (expected !== 'through') expectRefusal(endpoint, answer, expected)
  cells += 1
}

for (const [name, endpoint] of served) {
  // Deleting the package of the scene would end the scene: that cell has a test of its own.
  const deletes = name === 'deletePackage'
  test(`${name} lets in who the contract names, and nobody else`, async () => {
    const all = presentedAt(endpoint, scene, other, cast).filter(({ expected }) => !deletes || expected !== 'through')
    const refusals = all.filter(({ expected }) => expected !== 'through')
    const before = await snapshot(scene)
    const counted = cells
    for (const presented of refusals) await checkCell(endpoint, presented)
    assert.equal(await snapshot(scene), before, 'a refused call changed something')
    for (const presented of all.filter(({ expected }) => expected === 'through')) await checkCell(endpoint, presented)
    noteCells(name, cells - counted)
  })
}

const foreignIds: Readonly<Record<string, string>> = {
  team_id: other.teamId,
  user_id: other.owner.id,
  api_key_id: other.key.id,
  tag_id: other.tag.id,
  space_id: other.space.id,
  membership_id: other.mate.membership_id,
  custom_webhook_id: other.hook.id,
  delivery_id: other.hook.deliveryId,
  cloud_connection_id: other.connection.id,
  transfer_id: other.transfer.id,
  portal_id: other.portal.id,
  form_id: other.asking.formId,
  form_template_id: other.template.id,
  package_id: other.open.pkg.id,
  file_id: other.open.added.file.id,
  link_id: other.open.link.id,
}

/** The right credential of the scene for an endpoint. */
function ownHeaders(name: string, endpoint: Endpoint): readonly [string, string][] {
  if (endpoint.credential === 'package-token') {
    return [['X-Package-Token', name === 'fileUrl' ? scene.sent.readToken : scene.open.pkg.access_token]]
  }
  if (endpoint.credential === 'transfer-token') return [['X-Transfer-Token', scene.transfer.access_token]]
  return endpoint.credential === 'none' || endpoint.credential === 'link' ? [] : [['X-User-Token', scene.owner.token]]
}

for (const [name, endpoint] of served) {
  const ids = [...endpoint.path.matchAll(/:(\w+)/g)].map(([, id]) => id ?? '').filter((id) => id in foreignIds)
  // Whoever knows a Portal may send to it, whatever Team they are of.
  if (ids.length === 0 || endpoint.credential === 'access-code') continue
  test(`${name} answers for what another Team has as for what nobody has`, async () => {
    const before = await snapshot(other)
    const counted = cells
    for (const id of ids) {
      const { input } = requestFor(name, scene)
      const answers = []
      for (const value of [foreignIds[id] ?? '', randomUUID()]) {
        const params = { ...input.params, [id]: value }
        const answer = await ask(endpoint, { ...input, params }, { headers: ownHeaders(name, endpoint) })
        checkNothingLeaks(answer, { ...input, params }, [other])
        const { request_id: _, ...error } = errorOf(answer)
        assert.equal(answer.status, 404, answer.text)
        expectRefusal(endpoint, answer, error.error)
        answers.push(JSON.stringify(error).replaceAll(value, '(id)'))
        cells += 1
      }
      assert.equal(answers[0], answers[1], 'the two can be told apart')
    }
    noteCells(`${name} (foreign)`, cells - counted)
    assert.equal(await snapshot(other), before, "another Team's things were changed")
  })
}

test('deletePackage is for the manager of the package', async () => {
  const pkg = await makePackage()
  await show(deletePackage, { params: inPackage(pkg) }, managing(pkg))
  cells += 1
  noteCells('deletePackage (its manager)', 1)
})
