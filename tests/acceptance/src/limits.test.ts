import assert from 'node:assert/strict'
import { after } from 'node:test'
import { whoAmI } from '@longshore/contract/cloud/account'
import { finalizeFile, finalizeFiles, listChunks } from '@longshore/contract/cloud/files'
import { readTransfer } from '@longshore/contract/cloud/connections'
import { readPackage } from '@longshore/contract/cloud/packages'
import { packageSpec } from '@longshore/contract/cloud/system'
import type { Endpoint } from '@longshore/contract/endpoint'
import { type AnyInput, ask, type How, refused, use } from '#calls'
import { servedEndpoints } from '#endpoints'
import { ownAddress } from '#http'
import { test } from '#record'
import { makeScene, requestFor } from '#scene'
import { startSecondServer } from '#second-server'
import { inPackage, managing } from '#walk'

// All that is waited for comes before the first test: a run whose tests are over while the file is still read is over.
const served = await servedEndpoints()
const scene = await makeScene()
const callsPerMinute = 3
const strict = await startSecondServer({ LONGSHORE_CALLS_PER_MINUTE: String(callsPerMinute) })
// Nothing listens on port 1: to the server the object store is away.
const cutOff = await startSecondServer({ LONGSHORE_S3_ENDPOINT: 'http://127.0.0.1:1' })
after(() => Promise.all([strict.stop(), cutOff.stop()]))

const from = ownAddress()

function howFor(name: string, endpoint: Endpoint): How {
  const at = strict.url
  switch (endpoint.credential) {
    case 'package-token':
      return { at, as: { packageToken: name === 'fileUrl' ? scene.sent.readToken : scene.open.pkg.access_token } }
    case 'transfer-token':
      return { at, as: { transferToken: scene.transfer.access_token } }
    case 'user':
      return { at, as: { apiKey: scene.key.key } }
    case 'user-token':
      return { at, as: { userToken: scene.owner.token } }
    default:
      return { at, from }
  }
}

/** A call with the same credential that does nothing. */
function harmlessFor(
  name: string,
  { credential }: Endpoint,
): { readonly endpoint: Endpoint; readonly input: AnyInput } {
  switch (credential) {
    case 'package-token':
      return {
        endpoint: readPackage,
        input: { params: inPackage(name === 'fileUrl' ? scene.sent.pkg : scene.open.pkg) },
      }
    case 'transfer-token':
      return { endpoint: readTransfer, input: { params: { transfer_id: scene.transfer.id } } }
    case 'user':
    case 'user-token':
      return { endpoint: whoAmI, input: {} }
    default:
      return { endpoint: packageSpec, input: {} }
  }
}

test('a credential makes so many calls a minute, and is told how many are left', async () => {
  const how = { at: strict.url, as: { apiKey: scene.key.key } }
  const remaining = []
  for (let call = 0; call < callsPerMinute; call += 1) {
    const { status, headers } = await ask(whoAmI, {}, how)
    assert.deepEqual([status, headers['ratelimit-limit']], [200, String(callsPerMinute)])
    remaining.push(Number(headers['ratelimit-remaining']))
    assert.ok(Number(headers['ratelimit-reset']) <= 60)
  }
  assert.deepEqual(remaining, [2, 1, 0])
  const { answer } = await refused(whoAmI, {}, how, 'rate_limited')
  assert.equal(answer.headers['ratelimit-remaining'], '0')
  // Another credential has calls of its own.
  await use(whoAmI, {}, { at: strict.url, as: { userToken: scene.owner.token } })
})

test('wrong credentials are counted by address', async () => {
  const how = { at: strict.url, as: { apiKey: 'lsk_wrong' }, from: ownAddress() }
  for (let call = 0; call < callsPerMinute; call += 1) await refused(whoAmI, {}, how, 'credential_invalid')
  await refused(whoAmI, {}, how, 'rate_limited')
  await refused(whoAmI, {}, { ...how, from: ownAddress() }, 'credential_invalid')
})

for (const [name, endpoint] of served) {
  test(`${name} is refused to who has called too often`, async () => {
    const how = howFor(name, endpoint)
    const { input } = requestFor(name, scene)
    // Whatever the call is worth: some harmless ones of the same credential use up what it has.
    const harmless = harmlessFor(name, endpoint)
    let spent = false
    for (let call = 0; call <= callsPerMinute && !spent; call += 1) {
      spent = (await ask(harmless.endpoint, harmless.input, how)).status === 429
    }
    assert.ok(spent)
    await refused(endpoint, input, how, 'rate_limited')
  })
}

test('while storage is away, calls that need it say so, and the file stays as it was', async () => {
  const at = cutOff.url
  for (const endpoint of [finalizeFile, finalizeFiles, listChunks]) {
    const name =
      endpoint === finalizeFile ? 'finalizeFile' : endpoint === finalizeFiles ? 'finalizeFiles' : 'listChunks'
    await refused(endpoint, requestFor(name, scene).input, { ...managing(scene.open.pkg), at }, 'storage_unavailable')
  }
  const chunks = await use(listChunks, requestFor('listChunks', scene).input as never, managing(scene.open.pkg))
  assert.equal(chunks.upload_id, scene.open.uploadId)
  const ready = await fetch(`${at}/readyz`)
  assert.equal(ready.status, 503)
  assert.equal((await fetch(`${at}/healthz`)).status, 200)
})
