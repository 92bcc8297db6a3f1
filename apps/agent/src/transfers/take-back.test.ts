import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test, type TestContext } from 'node:test'
import { createClient } from '@longshore/client/client'
import { newId } from '@longshore/kit/ids'
import { createLog } from '@longshore/kit/log'
import { takeBack } from './take-back.ts'

/** A cloud that answers so, one after the other, and what the agent logs of it. */
async function world(t: TestContext, answers: readonly (readonly [status: number, error?: string])[]) {
  const asked: string[] = []
  const lines: string[] = []
  const server = createServer((request, response) => {
    const [status, error] = answers[asked.length] ?? [500]
    asked.push(`${request.method} ${request.url}`)
    response.writeHead(status, { 'content-type': 'application/json' })
    response.end(error === undefined ? '' : JSON.stringify({ error, message: 'No.', code: 1 }))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close())
  const client = createClient({ baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}` })
  const log = createLog('agent', 'warn', { write: (line) => void lines.push(line) })
  return { means: { client, log }, asked, logged: () => lines.map((line) => (JSON.parse(line) as { msg: string }).msg) }
}

const pkg = { id: newId(), token: 'its-token' }

test('a cloud that is away is asked again until the package is deleted', async (t) => {
  const { means, asked, logged } = await world(t, [[503], [204]])
  await takeBack(means, pkg)
  assert.deepEqual(asked, Array(2).fill(`DELETE /v1/packages/${pkg.id}`))
  assert.deepEqual(logged(), ['the package of a deleted upload is deleted later'])
})

test('a refusal is not asked for twice and is said in the log; a package that is gone is as good as deleted', async (t) => {
  const refused = await world(t, [[401, 'token_expired']])
  await takeBack(refused.means, pkg)
  assert.equal(refused.asked.length, 1)
  assert.deepEqual(refused.logged(), ['the package of a deleted upload could not be deleted'])

  const gone = await world(t, [[404, 'package_not_found']])
  await takeBack(gone.means, pkg)
  assert.deepEqual([gone.asked.length, gone.logged()], [1, []])
})
