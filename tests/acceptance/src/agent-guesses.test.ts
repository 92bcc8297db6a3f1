import assert from 'node:assert/strict'
import { after } from 'node:test'
import { startDownload } from '@longshore/contract/agent/downloads'
import { login } from '@longshore/contract/agent/session'
import { startPortalUpload } from '@longshore/contract/agent/uploads'
import type { Endpoint } from '@longshore/contract/endpoint'
import { makeFiles, makeFolder, startAgent } from '#agent'
import { ask, errorOf, expectRefusal } from '#calls'
import { makePortal } from '#portals'
import { test } from '#record'
import { startSecondServer } from '#second-server'
import { makeSent } from '#walk'

// Guesses are counted by address, and every agent of this run calls from the same: so on a server of their own.
const server = await startSecondServer({ LONGSHORE_GUESSES_PER_MINUTE: '3' })
after(() => server.stop())
const agent = await startAgent({ apiKey: null, cloudUrl: server.url })

async function guess(endpoint: Endpoint, bodyOf: (guess: string) => object): Promise<void> {
  for (let tries = 0; tries < 5; tries++) {
    const answer = await ask(endpoint, { body: bodyOf(`guess number ${tries}`) }, agent.at)
    if (answer.status === 401) continue
    expectRefusal(endpoint, answer, 'rate_limited')
    assert.match(String(answer.headers['retry-after']), /^[1-9]\d*$/)
    assert.equal(errorOf(answer).error, 'rate_limited')
    return
  }
  assert.fail('Five guesses were answered.')
}

test('case 211: who tries passwords through an agent is limited as anybody is', async () => {
  await guess(login, (password) => ({ email: 'nobody@example.test', password }))
  const portal = await makePortal({ has_access_code: true, access_code: 'the code' })
  const paths = [makeFiles({ 'a.txt': 'a' })]
  const sending = { subdomain: portal.subdomain, sender_email: 'sender@example.test', paths }
  await guess(startPortalUpload, (access_code) => ({ ...sending, access_code }))
  const { link } = await makeSent({ password: 'the password' })
  await guess(startDownload, (password) => ({ url: link.url, dst_folder: makeFolder(), password }))
})
