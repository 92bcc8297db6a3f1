import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { agentEndpoints } from '@longshore/contract/agent/endpoints'
import { agentOpenApi, agentStatus } from '@longshore/contract/agent/system'
import { listUploads } from '@longshore/contract/agent/uploads'
import { type Endpoint, refusalsOf } from '@longshore/contract/endpoint'
import { statusOf } from '@longshore/contract/errors'
import { failToStart, makeFolder, startAgent } from '#agent'
import { type AnyInput, type How, refused, show, use } from '#calls'
import { openApi, servedByAgent } from '#endpoints'
import { type Header, send, sendBytes } from '#http'
import { noteShown, test } from '#record'

const tokenFile = join(makeFolder(), 'token')
const token = `agent-token-${randomUUID()}`
writeFileSync(tokenFile, `${token}\n`, { mode: 0o600 })
const agent = await startAgent({ apiKey: null })
const guarded = await startAgent({ args: ['--token-file', tokenFile] })
const served = await servedByAgent(agent.url)
const withBody = [...served].filter(([, endpoint]) => endpoint.body !== undefined)
const json: Header = ['content-type', 'application/json']

const ids: Readonly<Record<string, string>> = { type: 'team_upload', iface_id: 'nowhere0' }

/** Parameters that fit, and nothing else: enough to reach the door. */
const inputFor = ({ path }: Endpoint): AnyInput => ({
  params: Object.fromEntries([...path.matchAll(/:(\w+)/g)].map(([, name = '']) => [name, ids[name] ?? randomUUID()])),
})

/** Refused at the door; a HEAD answers its status alone. */
async function refusedAtDoor(
  endpoint: Endpoint,
  how: How,
  name: 'foreign_caller' | 'agent_token_wrong',
): Promise<void> {
  if (endpoint.method !== 'HEAD') {
    await refused(endpoint, inputFor(endpoint), how, name)
    return
  }
  const headers = how.headers ?? []
  const { status } = await send({ method: 'HEAD', url: `${how.at}${endpoint.path}`, headers })
  assert.equal(status, statusOf(name))
  noteShown('checkSession', name)
}

const foreign: readonly (readonly [string, readonly Header[]])[] = [
  ['a foreign name', [['host', 'evil.example:80']]],
  ['a page on another origin', [['origin', 'http://evil.example']]],
  ['a page on another port of this machine', [['origin', 'http://localhost:3000']]],
  ['a sandboxed page', [['origin', 'null']]],
  ['what another site loads', [['sec-fetch-site', 'cross-site']]],
]

test('cases 198 to 202 and 205: no call of the agent can be made from a web page', async () => {
  for (const [, endpoint] of served) {
    for (const [, headers] of foreign) await refusedAtDoor(endpoint, { ...agent.at, headers }, 'foreign_caller')
  }
})

test('case 198: requests that no program of ours sends are refused', async () => {
  for (const bytes of [
    'GET /api/v1/uploads HTTP/1.0\r\n\r\n',
    'GET http://evil.example/api/v1/uploads HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n',
    'GET /api/v1/uploads HTTP/1.1\r\nHost: 127.0.0.1.evil.example\r\nConnection: close\r\n\r\n',
    'GET /api/v1/nowhere HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n',
  ]) {
    assert.match(await sendBytes(agent.url, bytes), /^HTTP\/1\.1 403 /, bytes)
  }
})

test('an agent with a token file asks for the token, at every call', async () => {
  for (const [, endpoint] of served) {
    await refusedAtDoor(endpoint, guarded.at, 'agent_token_wrong')
    await refusedAtDoor(
      endpoint,
      { ...guarded.at, headers: [['authorization', 'Bearer not-the-token']] },
      'agent_token_wrong',
    )
  }
  await use(listUploads, {}, { ...guarded.at, as: { agentToken: token } })
})

test('every call that needs a session says so before it looks at anything else', async () => {
  for (const endpoint of Object.values(agentEndpoints)) {
    if (endpoint.credential !== 'agent-session' || endpoint.method === 'HEAD') continue
    await refused(endpoint, { ...inputFor(endpoint), body: { nonsense: true } }, agent.at, 'session_is_nil')
  }
})

const signedIn = { ...guarded.at, as: { agentToken: token } }

test('every call that takes a body takes JSON alone, well-formed and not too long', async () => {
  for (const [, endpoint] of withBody) {
    const input = inputFor(endpoint)
    await refused(endpoint, input, { ...signedIn, headers: [json], text: '{"a":' }, 'malformed_request')
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x']) {
      const how = { ...signedIn, headers: [['content-type', type]] as const, text: '{}' }
      await refused(endpoint, input, how, 'unsupported_media_type')
    }
    const stalled = new Readable({ read: () => {} })
    stalled.push('{"x":"')
    const text = { stream: stalled, length: (endpoint.bodyLimit ?? 65_536) + 1 }
    await refused(endpoint, input, { ...signedIn, headers: [json], text }, 'body_too_large')
  }
})

test('every call refuses parts of another shape than it declares', async () => {
  for (const [, endpoint] of served) {
    if (!refusalsOf(endpoint).includes('validation_failed')) continue
    const { params = {} } = inputFor(endpoint)
    const wrong: AnyInput =
      endpoint.body !== undefined
        ? { params, body: [] }
        : endpoint.query !== undefined
          ? { params, query: { limit: 'x', items_limit: 'x', states: 'gone', include_secrets: 'x' } }
          : { params: Object.fromEntries(Object.keys(params).map((name) => [name, 'x'.repeat(300)])) }
    await refused(endpoint, wrong, signedIn, 'validation_failed')
  }
})

test('what is not there is not found', async () => {
  const at = (method: string, path: string) =>
    send({ method, url: `${agent.url}${path}`, headers: [] }).then(({ status }) => status)
  assert.equal(await at('GET', '/api/v1/nowhere'), 404)
  assert.equal(await at('PUT', '/api/v1/uploads'), 405)
})

test('the agent tells what it is, and describes all that the contract declares', async () => {
  const status = await show(agentStatus, {}, agent.at)
  assert.deepEqual([status.data_dir, status.auto_finalize, status.chunk_size], [agent.dataDir, true, 104_857_600])
  const reply = await fetch(`${agent.url}${agentOpenApi.path}`)
  assert.equal(reply.status, 200)
  noteShown('agentOpenApi', 'success')
  const { openapi, paths } = await openApi(`${agent.url}${agentOpenApi.path}`)
  assert.equal(openapi, '3.1.0')
  for (const [name, endpoint] of Object.entries(agentEndpoints)) {
    const operation = paths[endpoint.path.replaceAll(/:(\w+)/g, '{$1}')]?.[endpoint.method.toLowerCase()]
    // The generator tells a HEAD from the GET beside it.
    assert.equal(operation?.operationId, endpoint.method === 'HEAD' ? `${name}-head` : name)
    const statuses = new Set([endpoint.status, ...refusalsOf(endpoint).map(statusOf)].map(String))
    assert.deepEqual(Object.keys(operation.responses).toSorted(), [...statuses].toSorted(), name)
  }
})

test('listening beyond this machine without a token is refused at the start, and so is a second agent', async () => {
  const open = await failToStart(['--listen', '0.0.0.0:0'])
  assert.equal(open.code, 1)
  assert.match(open.said, /--token-file/)
  const twice = await failToStart(['--data-dir', agent.dataDir])
  assert.equal(twice.code, 1)
  assert.match(twice.said, /Another agent uses the data folder/)
})
