import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type TestContext, test } from 'node:test'
import { ApiError, createClient } from '#client'
import { signIn, whoAmI } from '@longshore/contract/cloud/account'
import { createApiKey, deleteApiKey, switchApiKey } from '@longshore/contract/cloud/api-keys'
import { chunkRequests } from '@longshore/contract/cloud/files'
import { createLink, lookUpLink } from '@longshore/contract/cloud/links'
import { createPortalPackage, finalizePackage, listTeamPackages } from '@longshore/contract/cloud/packages'
import { packageEvents } from '@longshore/contract/cloud/realtime'
import { acceptInvitation, updateTeamSettings } from '@longshore/contract/cloud/team'

const id = '0199c1a0-0000-7000-8000-000000000001'

interface Seen {
  readonly method: string | undefined
  readonly url: string | undefined
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

type Answer = (response: ServerResponse) => void

const json =
  (status: number, body: unknown, headers: Record<string, string> = {}): Answer =>
  (response) =>
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))

/** A server that answers everything alike, and a list of what it was asked. */
async function serverThat(t: TestContext, answer: Answer) {
  const seen: Seen[] = []
  const server = createServer((request, response) => {
    let body = ''
    request.setEncoding('utf8').on('data', (piece: string) => (body += piece))
    request.on('end', () => {
      seen.push({ method: request.method, url: request.url, headers: request.headers, body })
      answer(response)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  return { seen, baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}

test('a call is sent to its path, with its body as JSON, and answers the reply', async (t) => {
  const reply = { teams: [], token: 't', user: { id, name: 'Ada' } }
  const { seen, baseUrl } = await serverThat(t, json(200, reply))
  const { call } = createClient({ baseUrl })

  const signedIn = await call(signIn, { body: { email: 'a@example.com', password: 'é"\\' } })

  assert.deepEqual(signedIn, reply)
  assert.equal(seen.length, 1)
  assert.equal(seen[0]?.method, 'POST')
  assert.equal(seen[0]?.url, '/v1/auth')
  assert.equal(seen[0]?.headers['content-type'], 'application/json')
  assert.deepEqual(JSON.parse(seen[0]?.body ?? ''), { email: 'a@example.com', password: 'é"\\' })
})

test('path parameters are encoded, so that none can reach another path', async (t) => {
  const { seen, baseUrl } = await serverThat(t, (response) => response.writeHead(204).end())
  const { call } = createClient({ baseUrl })

  await call(switchApiKey, { params: { api_key_id: 'a/b?c#d', action: 'active' } })

  assert.equal(seen[0]?.url, '/v1/api_keys/a%2Fb%3Fc%23d/active')
})

test('an empty or climbing path parameter is refused before anything is sent', async (t) => {
  const { seen, baseUrl } = await serverThat(t, (response) => response.writeHead(204).end())
  const { call } = createClient({ baseUrl })

  for (const value of ['', '.', '..']) {
    await assert.rejects(call(deleteApiKey, { params: { api_key_id: value } }), TypeError)
  }

  assert.deepEqual(seen, [])
})

test('a query leaves out what is undefined and repeats lists', async (t) => {
  const { seen, baseUrl } = await serverThat(t, json(200, { metadata: { total: 0 }, records: [] }))
  const { call } = createClient({ baseUrl })

  await call(listTeamPackages, {
    params: { team_id: id },
    query: { page: 2, status: ['new', 'expired'], name: 'a&b c', extra_storage: false, tags: [] },
  })
  await call(listTeamPackages, { params: { team_id: id } })

  assert.equal(
    seen[0]?.url,
    `/v1.1/teams/${id}/packages?page=2&status=new&status=expired&name=a%26b+c&extra_storage=false`,
  )
  assert.equal(seen[1]?.url, `/v1.1/teams/${id}/packages`)
})

test('a base address with a path and a slash at its end keeps its path', async (t) => {
  const { seen, baseUrl } = await serverThat(t, json(200, {}))
  const { call } = createClient({ baseUrl: `${baseUrl}/transfer/` })

  await call(whoAmI)

  assert.equal(seen[0]?.url, '/transfer/v1/users/me')
})

const credentials = [
  { credential: { apiKey: 'k' }, header: 'x-api-key', value: 'k' },
  { credential: { userToken: 'u' }, header: 'x-user-token', value: 'u' },
  { credential: { packageToken: 'p' }, header: 'x-package-token', value: 'p' },
  { credential: { transferToken: 'f' }, header: 'x-transfer-token', value: 'f' },
  { credential: { accessCode: 'grün 100%' }, header: 'x-access-code', value: 'gr%C3%BCn%20100%25' },
  { credential: { linkPassword: '密码' }, header: 'x-link-password', value: '%E5%AF%86%E7%A0%81' },
]

for (const { credential, header, value } of credentials) {
  test(`${Object.keys(credential)[0]} goes into ${header} and nowhere else`, async (t) => {
    const { seen, baseUrl } = await serverThat(t, json(200, {}))
    const { call } = createClient({ baseUrl, credential })

    await call(whoAmI)

    const sent = Object.entries(seen[0]?.headers ?? {}).filter(([name]) => credentials.some((c) => c.header === name))
    assert.deepEqual(sent, [[header, value]])
  })
}

test('a call may name another credential than its client has, or none', async (t) => {
  const { seen, baseUrl } = await serverThat(t, json(200, {}))
  const { call } = createClient({ baseUrl, credential: { apiKey: 'k' } })

  await call(whoAmI, {}, { credential: { userToken: 'u' } })
  await call(whoAmI, {}, { credential: undefined })

  assert.equal(seen[0]?.headers['x-api-key'], undefined)
  assert.equal(seen[0]?.headers['x-user-token'], 'u')
  assert.equal(seen[1]?.headers['x-api-key'], undefined)
})

test('an empty access code is sent, since an open Portal asks for the header', async (t) => {
  const { seen, baseUrl } = await serverThat(t, json(201, {}))
  const { call } = createClient({ baseUrl, credential: { accessCode: '' } })

  await call(createPortalPackage, {
    params: { portal_id: id },
    body: { name: 'n', description: '', sender: 'a@example.com' },
  })

  assert.equal(seen[0]?.headers['x-access-code'], '')
})

test('Idempotency-Key is sent when it is given and not otherwise', async (t) => {
  const { seen, baseUrl } = await serverThat(t, json(201, {}))
  const { call } = createClient({ baseUrl })
  const input = { params: { team_id: id }, body: { state: 'active' } } as const

  await call(createApiKey, input, { idempotencyKey: 'once' })
  await call(createApiKey, input)

  assert.equal(seen[0]?.headers['idempotency-key'], 'once')
  assert.equal(seen[1]?.headers['idempotency-key'], undefined)
})

test('a body that may be left out is not sent, one that may be empty is sent empty', async (t) => {
  const { seen, baseUrl } = await serverThat(t, json(200, {}))
  const { call } = createClient({ baseUrl })

  await call(createLink, { params: { package_id: id } })
  await call(updateTeamSettings, { params: { team_id: id } })

  assert.equal(seen[0]?.body, '')
  assert.equal(seen[0]?.headers['content-type'], undefined)
  assert.equal(seen[1]?.body, '{}')
})

test('a call that answers without a body gives undefined', async (t) => {
  const { baseUrl } = await serverThat(t, (response) => response.writeHead(204).end())
  const { call } = createClient({ baseUrl })

  assert.equal(await call(finalizePackage, { params: { package_id: id } }), undefined)
})

test('a refusal becomes an ApiError with all that the server said', async (t) => {
  const body = {
    code: 1_638_405,
    error: 'validation_failed',
    message: 'Correct the fields named in details.',
    details: [{ field: 'name', reason: 'required' }],
    request_id: 'r-1',
  }
  const { seen, baseUrl } = await serverThat(t, json(422, body, { 'retry-after': '7' }))
  const { call } = createClient({ baseUrl })

  const refused = await call(whoAmI).catch((error: unknown) => error)

  assert.ok(refused instanceof ApiError)
  assert.ok(refused instanceof Error)
  const { status, code, error, message, details, requestId, retryAfter } = refused
  assert.deepEqual(
    { status, code, error, message, details, requestId, retryAfter },
    {
      status: 422,
      code: body.code,
      error: body.error,
      message: body.message,
      details: body.details,
      requestId: 'r-1',
      retryAfter: 7,
    },
  )
  assert.equal(seen.length, 1, 'a client that tries again behind our back would hide what happens')
})

test('a refusal in the words of a proxy is an ApiError as well', async (t) => {
  const { baseUrl } = await serverThat(t, (response) =>
    response
      .writeHead(502, { 'x-request-id': 'r-2', 'retry-after': new Date(Date.now() + 5_000).toUTCString() })
      .end('<html>'),
  )
  const { call } = createClient({ baseUrl })

  const refused = await call(whoAmI).catch((error: unknown) => error)

  assert.ok(refused instanceof ApiError)
  assert.equal(refused.status, 502)
  assert.equal(refused.code, 0)
  assert.equal(refused.error, 'http_502')
  assert.deepEqual(refused.details, [])
  assert.equal(refused.requestId, 'r-2')
  assert.ok(refused.retryAfter !== undefined && refused.retryAfter >= 3 && refused.retryAfter <= 5)
})

test('a refusal whose body is JSON but no object is an ApiError as well', async (t) => {
  const { baseUrl } = await serverThat(t, json(500, null))
  await assert.rejects(createClient({ baseUrl }).call(whoAmI), { name: 'ApiError', error: 'http_500', status: 500 })
})

test('a redirect is not followed, so that no credential leaves for another host', async (t) => {
  const elsewhere = await serverThat(t, json(200, {}))
  const { baseUrl } = await serverThat(t, (response) =>
    response.writeHead(307, { location: `${elsewhere.baseUrl}/v1/users/me` }).end(),
  )

  await assert.rejects(createClient({ baseUrl, credential: { apiKey: 'k' } }).call(whoAmI), TypeError)

  assert.deepEqual(elsewhere.seen, [])
})

test('an aborted call ends with the reason of its signal', async (t) => {
  const stop = new AbortController()
  const { baseUrl } = await serverThat(t, () => stop.abort(new Error('enough')))

  await assert.rejects(createClient({ baseUrl }).call(whoAmI, {}, { signal: stop.signal }), /enough/)
})

test('raw gives the reply as it came, refused or not', async (t) => {
  const { seen, baseUrl } = await serverThat(t, json(404, { code: 1, error: 'link_not_found', message: 'm' }))
  const { raw } = createClient({ baseUrl, credential: { linkPassword: 'p' } })

  const response = await raw(lookUpLink, { params: { link_id: id }, query: { secret: 's' } })

  assert.equal(response.status, 404)
  assert.equal(((await response.json()) as { error: string }).error, 'link_not_found')
  assert.equal(seen[0]?.url, `/v1/links/${id}?secret=s`)
})

test('raw asks for the media type of a stream', async (t) => {
  const { seen, baseUrl } = await serverThat(t, (response) => response.writeHead(200).end())

  await createClient({ baseUrl }).raw(packageEvents, { params: { package_id: id } })

  assert.equal(seen[0]?.headers['accept'], 'text/event-stream')
})

test('a fetch of the caller is used in place of the global one, and is not called as a method', async () => {
  const asked: string[] = []
  const own = function (this: unknown, input: unknown) {
    assert.equal(this, undefined)
    asked.push(String(input))
    return Promise.resolve(Response.json({}))
  } as typeof fetch

  await createClient({ baseUrl: 'https://example.com', fetch: own }).call(whoAmI)

  assert.deepEqual(asked, ['https://example.com/v1/users/me'])
})

test('the client needs nothing that a browser lacks', async () => {
  const { readFile } = await import('node:fs/promises')
  const source = await readFile(new URL('./client.ts', import.meta.url), 'utf8')
  assert.doesNotMatch(source, /from 'node:|\bprocess\b|\bBuffer\b|\brequire\(/)
})

test('what an endpoint does not declare does not compile', () => {
  const { call } = createClient({ baseUrl: 'http://127.0.0.1:1' })
  // Only the compiler reads this.
  const never = async () => {
    // @ts-expect-error params are missing
    await call(finalizePackage)
    // @ts-expect-error params are missing
    await call(finalizePackage, {})
    // @ts-expect-error no such parameter
    await call(finalizePackage, { params: { package: id } })
    // @ts-expect-error a body that the endpoint does not take
    await call(finalizePackage, { params: { package_id: id }, body: { name: 'n' } })
    // @ts-expect-error the query is needed
    await call(chunkRequests, { params: { package_id: id, file_id: id }, body: { upload_id: 'u' } })
    // @ts-expect-error the password is missing
    await call(acceptInvitation, { params: { token: 't' }, body: { name: 'Ada' } })
    // @ts-expect-error not one of the words
    await call(switchApiKey, { params: { api_key_id: id, action: 'suspended' } })
    // @ts-expect-error a number, not a text
    await call(listTeamPackages, { params: { team_id: id }, query: { page: '2' } })
    // @ts-expect-error one of the known credentials
    await call(whoAmI, {}, { credential: { password: 'p' } })

    const page = await call(listTeamPackages, { params: { team_id: id } })
    const total: number = page.metadata.total
    const state: 'new' | 'finalized' | 'expired' | 'archived' | undefined = page.records[0]?.state
    // @ts-expect-error the reply has no such field
    void page.records[0]?.status
    const nothing: undefined = await call(finalizePackage, { params: { package_id: id } })
    return { total, state, nothing }
  }
  assert.equal(typeof never, 'function')
})
