import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { cloudEndpoints } from '@longshore/contract/cloud/endpoints'
import { packageSpec } from '@longshore/contract/cloud/system'
import { refusalsOf } from '@longshore/contract/endpoint'
import { statusOf } from '@longshore/contract/errors'
import { GiB, MiB } from '@longshore/contract/limits'
import { checkErrorBody, checkHeaders, show } from '#calls'
import { openApi, servedEndpoints } from '#endpoints'
import { type Header, send, sendBytes } from '#http'
import { test } from '#record'
import { setting, target } from '#target'

const at = (path: string) => `${target.cloud_url}${path}`
const get = (path: string, headers: readonly Header[] = []) => send({ method: 'GET', url: at(path), headers })
const allowedOrigin = setting('LONGSHORE_ALLOWED_ORIGINS').split(',')[0] ?? ''

test('the limits of chunks are told to anybody', async () => {
  assert.deepEqual(await show(packageSpec, {}), {
    max_chunk_count: 10_000,
    max_chunk_size: 5 * GiB,
    min_chunk_size: 5 * MiB,
    default_chunk_size: 100 * MiB,
  })
})

test('the document is OpenAPI 3.1 and describes exactly what the contract declares and the server serves', async () => {
  const document = await openApi()
  assert.match(document.openapi, /^3\.1\.\d$/)
  assert.ok(document.info['title'] && document.info['version'])
  assert.equal(document.servers[0]?.url, target.cloud_url)
  const served = await servedEndpoints()
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  )
  assert.equal(operations.length, served.size, 'an operation that is not in the contract')
  assert.equal(new Set(operations.map(({ operation }) => operation.operationId)).size, operations.length)
  const schemes = Object.keys(document.components.securitySchemes)
  for (const [name, endpoint] of served) {
    const path = endpoint.path.replaceAll(/:(\w+)/g, '{$1}')
    const operation = document.paths[path]?.[endpoint.method.toLowerCase()]
    assert.ok(operation, path)
    assert.equal(operation.operationId, name)
    const parameters = (operation.parameters ?? []).map((parameter) => `${parameter.in}:${parameter.name}`)
    const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, parameter]) => `path:${parameter}`)
    assert.deepEqual(parameters.filter((one) => one.startsWith('path:')).toSorted(), inPath.toSorted(), name)
    assert.equal(operation.requestBody !== undefined, endpoint.body !== undefined, name)
    const statuses = new Set([endpoint.status, ...refusalsOf(endpoint).map(statusOf)].map(String))
    assert.deepEqual(Object.keys(operation.responses).toSorted(), [...statuses].toSorted(), name)
    for (const need of operation.security ?? []) {
      for (const scheme of Object.keys(need)) assert.ok(schemes.includes(scheme), `${name}: ${scheme}`)
    }
    assert.equal((operation.security ?? []).length > 0, endpoint.credential !== 'none', `${name}: security`)
  }
})

test('every reference inside the document leads somewhere, and every schema is one', async () => {
  const document = await openApi()
  const broken: string[] = []
  const walk = (value: unknown, where: string) => {
    if (typeof value !== 'object' || value === null) return
    for (const [name, inner] of Object.entries(value)) {
      if (name === '$ref' && typeof inner === 'string') {
        const found = inner.startsWith('#/')
          ? inner
              .slice(2)
              .split('/')
              .reduce<unknown>((at, key) => (at as Record<string, unknown> | undefined)?.[key], document)
          : undefined
        if (found === undefined) broken.push(`${where}: ${inner}`)
      }
      if (name === 'nullable') broken.push(`${where}: nullable is of OpenAPI 3.0`)
      walk(inner, `${where}/${name}`)
    }
  }
  walk(document.paths, '#/paths')
  walk(document.components, '#/components')
  assert.deepEqual(broken, [])
})

test('what the contract has for later is not there yet, and looks like any unknown address', async () => {
  const served = await servedEndpoints()
  const paths = new Set([...served.values()].map(({ path }) => path))
  for (const [name, endpoint] of Object.entries(cloudEndpoints)) {
    if (served.has(name)) continue
    const path = endpoint.path.replaceAll(/:(\w+)/g, () => randomUUID())
    const headers: Header[] = [['x-api-key', target.api_key]]
    const answer = await send({ method: endpoint.method, url: at(path), headers })
    const { error } = checkErrorBody(answer, name)
    const samePath = paths.has(endpoint.path)
    assert.ok(
      error === (samePath ? 'method_not_allowed' : 'not_found') ||
        error === 'validation_failed' ||
        error === 'credential_missing',
      `${name}: ${error}`,
    )
  }
})

test('the reference page is served from here alone', async () => {
  const page = await get('/reference/')
  assert.equal(page.status, 200)
  assert.match(String(page.headers['content-type']), /^text\/html/)
  const policy = String(page.headers['content-security-policy'])
  assert.match(policy, /default-src 'none'/)
  assert.match(policy, /frame-ancestors 'none'/)
  assert.doesNotMatch(policy, /https?:|\*|unsafe-eval/)
  const hosts = [...page.text.matchAll(/(?:src|href)="(?:https?:)?\/\/([^/"]+)/g)].map(([, host]) => host)
  assert.deepEqual(hosts, [])
  const scripts = [...page.text.matchAll(/<script[^>]+src="([^"]+)"/g)].map(([, src]) => src ?? '')
  assert.ok(scripts.length > 0)
  for (const script of scripts) {
    const { status, headers } = await send({ method: 'GET', url: new URL(script, at('/reference/')).href })
    assert.deepEqual([status, headers['x-content-type-options']], [200, 'nosniff'], script)
  }
})

test('the two pages of the server itself have a policy and load nothing from elsewhere', async () => {
  for (const path of ['/setup', '/confirm-email']) {
    const page = await get(path)
    assert.equal(page.status, 200)
    assert.match(String(page.headers['content-security-policy']), /default-src 'none'; script-src 'self'/)
    assert.equal(page.headers['x-content-type-options'], 'nosniff')
    assert.equal(page.headers['referrer-policy'], 'no-referrer')
    assert.doesNotMatch(page.text, /(?:src|href)="(?:https?:)?\/\//)
    for (const [, src] of page.text.matchAll(/(?:src|href)="(\/[^"]+)"/g))
      assert.equal((await get(src ?? '')).status, 200)
  }
})

test('health is for anybody and tells no more than that', async () => {
  const health = await get('/healthz')
  assert.deepEqual([health.status, JSON.parse(health.text)], [200, { status: 'ok' }])
  const ready = await get('/readyz')
  assert.equal(ready.status, 200)
  assert.doesNotMatch(ready.text, /postgres:|redis:|password|127\.0\.0\.1/)
})

test('figures are for this machine, not for who comes through a proxy', async () => {
  const figures = await get('/metrics')
  assert.equal(figures.status, 200)
  assert.match(figures.text, /longshore_request_seconds_count\{[^}]*route="\/v1\/system\/packages\/spec"/)
  for (const header of [
    ['x-forwarded-for', '203.0.113.5'],
    ['forwarded', 'for=203.0.113.5'],
  ] as const) {
    assert.equal(checkErrorBody(await get('/metrics', [header]), 'metrics').error, 'not_found')
  }
  assert.doesNotMatch(figures.text, new RegExp(target.team_id))
})

test('unknown addresses and methods are answered in the shape of every error', async () => {
  for (const path of ['/v1', '/v1/nothing', '/v2/auth', '/v1/packages', '/.env', '/v1/auth/', '//v1/auth']) {
    const answer = await get(path)
    checkHeaders(answer, path)
    const { error } = checkErrorBody(answer, path)
    assert.equal(error, 'not_found', path)
  }
  for (const [method, path, allow] of [
    ['GET', '/v1/auth', 'POST'],
    ['DELETE', '/v1/auth', 'POST'],
    ['PUT', '/v1/auth', 'POST'],
    ['POST', '/v1/system/packages/spec', 'GET'],
    ['POST', `/v1/packages/${randomUUID()}`, 'DELETE, GET, PUT'],
    ['PATCH', `/v1/packages/${randomUUID()}`, 'DELETE, GET, PUT'],
  ] as const) {
    const answer = await send({ method, url: at(path) })
    assert.equal(checkErrorBody(answer, path).error, 'method_not_allowed', `${method} ${path}`)
    const allowed = String(answer.headers.allow)
      .split(', ')
      .filter((one) => one !== 'HEAD' && one !== 'OPTIONS')
    assert.deepEqual(allowed.toSorted().join(', '), allow)
  }
})

test('methods that nobody needs are off', async () => {
  for (const method of ['TRACE', 'CONNECT', 'PROPFIND', 'FOO']) {
    const request = `${method} /v1/auth HTTP/1.1\r\nhost: x\r\nconnection: close\r\nx-secret: s3cret\r\n\r\n`
    const answer = await sendBytes(target.cloud_url, request)
    assert.match(answer, /^(HTTP\/1\.1 (400|404|405|501) |$)/, method)
    assert.equal(answer.includes('s3cret'), false)
  }
})

test('every reply has the headers that keep a browser from doing harm', async () => {
  for (const path of ['/v1/system/packages/spec', '/v1/users/me', '/nothing', '/openapi.json', '/healthz']) {
    const answer = await get(path)
    checkHeaders(answer, path)
    assert.match(String(answer.headers['content-security-policy']), /default-src 'none'/, path)
    assert.equal(answer.headers['referrer-policy'], 'no-referrer', path)
    assert.match(String(answer.headers['strict-transport-security']), /max-age=\d{7,}/, path)
    assert.equal(answer.headers['x-powered-by'], undefined, path)
    assert.equal(answer.headers['server'], undefined, path)
  }
})

test('a request id of the caller does not become ours', async () => {
  for (const id of ['mine', 'a'.repeat(5_000), '<script>', '${jndi:ldap://x}']) {
    const answer = await get('/v1/users/me', [['x-request-id', id]])
    assert.match(String(answer.headers['x-request-id']), /^[0-9a-f-]{36}$/)
    assert.equal(answer.text.includes(id), false)
  }
  const ids = await Promise.all(Array.from({ length: 20 }, async () => (await get('/healthz')).headers['x-request-id']))
  assert.equal(new Set(ids).size, 20)
})

const origin = (value: string): Header => ['origin', value]
const accessOf = async (path: string, headers: readonly Header[], method = 'GET') => {
  const answer = await send({ method, url: at(path), headers })
  assert.equal(answer.headers['access-control-allow-credentials'], undefined)
  return answer.headers['access-control-allow-origin']
}

test('any page may call what needs no credential of a person', async () => {
  const link = `/v1/links/${randomUUID()}?secret=x`
  for (const path of ['/v1/system/packages/spec', link]) {
    assert.equal(await accessOf(path, [origin('https://anywhere.example')]), '*', path)
  }
  const preflight: Header[] = [
    origin('https://anywhere.example'),
    ['access-control-request-method', 'GET'],
    ['access-control-request-headers', 'x-link-password'],
  ]
  const answer = await send({ method: 'OPTIONS', url: at(link), headers: preflight })
  assert.equal(answer.status, 204)
  assert.match(String(answer.headers['access-control-allow-headers']), /x-link-password/i)
})

test('all else is for the pages that the operator lists, by their exact origin', async () => {
  const id = randomUUID()
  const paths = [
    '/v1/users/me',
    `/v1/packages/${id}`,
    `/v1/packages/${id}/files`,
    `/v1/teams/${id}/packages`,
    `/v1/api_keys/${id}`,
  ]
  const foreign = [
    'null',
    'https://evil.example',
    `${allowedOrigin}.evil.example`,
    `https://evil${new URL(allowedOrigin).host}`,
    allowedOrigin.replace('http:', 'https:'),
    `${allowedOrigin}:8080`,
    allowedOrigin.toUpperCase(),
    `${allowedOrigin}/`,
  ]
  for (const path of paths) {
    assert.equal(await accessOf(path, [origin(allowedOrigin)]), allowedOrigin, path)
    for (const value of foreign) {
      assert.equal(await accessOf(path, [origin(value)]), undefined, `${path} from ${value}`)
      const preflight: Header[] = [
        origin(value),
        ['access-control-request-method', 'PUT'],
        ['access-control-request-headers', 'x-package-token'],
      ]
      assert.equal(await accessOf(path, preflight, 'OPTIONS'), undefined, `preflight ${path} from ${value}`)
    }
  }
  const answer = await get('/v1/users/me', [origin(allowedOrigin)])
  assert.match(String(answer.headers['access-control-expose-headers']), /x-request-id/i)
  assert.match(String(answer.headers.vary), /origin/i)
})

test('names in errors and logs cannot break out of their line', async () => {
  const answer = await get('/v1/%0d%0aSet-Cookie:%20a=b/%1b[31m')
  checkErrorBody(answer, 'a path with line breaks')
  assert.equal(answer.headers['set-cookie'], undefined)
})
