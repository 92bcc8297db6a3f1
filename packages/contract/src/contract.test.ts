import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { test } from 'node:test'
import fc from 'fast-check'
import { type Static, type TSchema, Type } from 'typebox'
import { Value } from 'typebox/value'
import { agentEndpoints } from '#agent/endpoints'
import { setUploadLimit } from '#agent/settings'
import { cloudEndpoints } from '#cloud/endpoints'
import { createForm, Form, updateForm } from '#cloud/forms'
import { Portal, updatePortal } from '#cloud/portals'
import { ListedWebhook, updateWebhook } from '#cloud/webhooks'
import type { Endpoint } from '#endpoint'
import { refusalsOf } from '#endpoint'
import { codeOf, type ErrorName, errors } from '#errors'
import {
  chunkCount,
  chunkSizeFor,
  defaultChunkSize,
  GiB,
  MiB,
  maxChunkCount,
  maxChunkSize,
  maxFileSize,
  minChunkSize,
  TiB,
  zeroTime,
} from '#limits'
import publishedCodes from './error-codes.json' with { type: 'json' }

const named = [...Object.entries(cloudEndpoints), ...Object.entries(agentEndpoints)]
const pathsOf = (endpoint: Endpoint) => [endpoint.path, ...(endpoint.aliases ?? [])]
const parametersOf = (path: string) => [...path.matchAll(/:(\w+)/g)].map((match) => match[1] ?? '')

/** What cloud-api.md publishes. Written by hand: the contract must not be its own witness. */
const published = `
  POST   /v1/auth
  POST   /v1/teams/:team_id/api_keys
  PUT    /v1/api_keys/:api_key_id
  PUT    /v1/api_keys/:api_key_id/:action
  DELETE /v1/api_keys/:api_key_id
  GET    /v1/teams/:team_id/api_keys
  PUT    /users/:user_id
  POST   /users/:user_id/password
  PUT    /users/:user_id/email
  POST   /v1/teams/:team_id/tags
  GET    /v1/teams/:team_id/tags
  DELETE /v1/tags/:tag_id
  POST   /v1/teams/:team_id/packages
  POST   /v1/portals/:portal_id/packages
  GET    /v1.1/teams/:team_id/packages
  GET    /v1/teams/:team_id/packages
  GET    /v1.1/portals/:portal_id/packages
  GET    /v1/portals/:portal_id/packages
  PUT    /v1/packages/:package_id
  PUT    /v1/packages/:package_id/expiry
  DELETE /v1/packages/:package_id
  PUT    /v1/packages/:package_id/archive
  PUT    /v1/packages/:package_id/unarchive
  PUT    /v1/teams/:team_id/archive
  PUT    /v1/teams/:team_id/unarchive
  PUT    /v1/teams/:team_id/inbox/archive
  PUT    /v1/teams/:team_id/inbox/unarchive
  GET    /v1/packages/:package_id/metadata
  POST   /v1/packages/:package_id/files
  POST   /v1/packages/:package_id/files/:file_id
  POST   /v1/packages/:package_id/files/:file_id/finalize
  POST   /v1/packages/:package_id/finalize
  GET    /v1/system/packages/spec
  GET    /v1/links/:link_id
  GET    /v1/packages/:package_id/files
  GET    /v1/packages/:package_id/files/:file_id/download
  POST   /v1/teams/:team_id/portals
  PUT    /v1/portals/:portal_id
  GET    /v1/portals/:portal_id
  GET    /v1.1/teams/:team_id/portals
  GET    /v1/teams/:team_id/portals
  POST   /v1/portals/:portal_id/form
  PUT    /v1/metadata/forms/:form_id
  DELETE /v1/metadata/forms/:form_id
  POST   /v1/portals/:portal_id/form/responses
  POST   /v1/teams/:team_id/forms/templates
  PUT    /v1/metadata/forms/templates/:form_template_id
  DELETE /v1/metadata/forms/templates/:form_template_id
  GET    /v1/teams/:team_id/members
  GET    /v1.1/teams/:team_id/spaces
  POST   /v1/teams/:team_id/spaces
  POST   /v1/spaces/:space_id/members
  POST   /v1/teams/:team_id/custom_webhooks
  PUT    /v1/custom_webhooks/:custom_webhook_id
  DELETE /v1/custom_webhooks/:custom_webhook_id
  GET    /v1/teams/:team_id/custom_webhooks
`

/** What agent-api.md publishes; the types of automations stand for themselves. */
const publishedByAgent = `
  POST   /api/v1/login
  GET    /api/v1/login
  HEAD   /api/v1/login
  GET    /api/v1/teams
  POST   /api/v1/uploads
  POST   /api/v1/portals/uploads
  POST   /api/v1/uploads/:upload_id/link
  POST   /api/v1/uploads/:upload_id/finalize
  GET    /api/v1/uploads
  GET    /api/v1/uploads/:upload_id
  POST   /api/v1/uploads/:upload_id/pause
  POST   /api/v1/uploads/pause
  POST   /api/v1/uploads/:upload_id/resume
  POST   /api/v1/uploads/resume
  DELETE /api/v1/uploads/:upload_id
  DELETE /api/v1/uploads
  GET    /api/v1/automations
  POST   /api/v1/automations/portal_download
  POST   /api/v1/automations/all_portals_download
  POST   /api/v1/automations/team_upload
  POST   /api/v1/automations/portal_upload
  POST   /api/v1/automations/team_stream
  POST   /api/v1/automations/portal_stream
  PUT    /api/v1/automations/portal_download/:automation_id
  PUT    /api/v1/automations/all_portals_download/:automation_id
  PUT    /api/v1/automations/team_upload/:automation_id
  PUT    /api/v1/automations/portal_upload/:automation_id
  PUT    /api/v1/automations/team_stream/:automation_id
  PUT    /api/v1/automations/portal_stream/:automation_id
  DELETE /api/v1/automations/:type/:automation_id
  GET    /api/v1/automations/:type/:automation_id/export
  POST   /api/v1/automations/import
  POST   /api/v1/storage_gateway/register
  GET    /api/v1/storage_gateway/list
  POST   /api/v1/storage_gateway/unregister
  POST   /api/v1/storage_gateway/update
  GET    /api/v1/settings/disk_config_default
  GET    /api/v1/settings/disk_status
  POST   /api/v1/settings/disk_config_default
  POST   /api/v1/settings/disk_config
  GET    /api/v1/settings/fifo_mode
  POST   /api/v1/settings/fifo_mode
  POST   /api/v1/uploads/:upload_id/fifo_rank
  POST   /api/v1/downloads/:download_id/fifo_rank
  GET    /api/v1/settings/multiconnect/status
  POST   /api/v1/settings/multiconnect
  POST   /api/v1/settings/multiconnect/ifaces/:iface_id
  GET    /api/v1/settings/worker_config
  POST   /api/v1/settings/worker_config
  GET    /api/v1/settings/upload_rate_limit
  GET    /api/v1/settings/download_rate_limit
  GET    /api/v1/settings/upload_rate_limit/:iface_id
  GET    /api/v1/settings/download_rate_limit/:iface_id
  POST   /api/v1/settings/upload_rate_limit
  POST   /api/v1/settings/download_rate_limit
  POST   /api/v1/settings/upload_rate_limit/:iface_id
  POST   /api/v1/settings/download_rate_limit/:iface_id
`

/** What decisions.md adds to them. */
const extensions = `
  PUT    /v1/users/:user_id
  POST   /v1/users/:user_id/password
  PUT    /v1/users/:user_id/email
  GET    /v1/users/me
  POST   /v1/teams/:team_id/invitations
  POST   /v1/invitations/:token/accept
  PUT    /v1/teams/:team_id/members/:membership_id
  DELETE /v1/teams/:team_id/members/:membership_id
  GET    /v1/teams/:team_id/settings
  PUT    /v1/teams/:team_id/settings
  GET    /v1/packages/:package_id
  GET    /v1.1/teams/:team_id/packages/:package_id
  GET    /v1.1/teams/:team_id/inbox
  DELETE /v1/packages/:package_id/files/:file_id
  GET    /v1/packages/:package_id/files/:file_id/chunks
  POST   /v1/packages/:package_id/files/batch
  POST   /v1/packages/:package_id/files/finalize
  POST   /v1/packages/:package_id/links
  GET    /v1/packages/:package_id/links
  PUT    /v1/packages/:package_id/links/:link_id
  DELETE /v1/packages/:package_id/links/:link_id
  GET    /v1/packages/:package_id/waybill
  GET    /v1/system/keys
  DELETE /v1/portals/:portal_id
  GET    /v1/subdomains/portals/:subdomain
  GET    /v1/teams/:team_id/forms/templates
  GET    /v1/spaces/:space_id
  PUT    /v1/spaces/:space_id
  DELETE /v1/spaces/:space_id
  DELETE /v1/spaces/:space_id/members/:membership_id
  POST   /v1/custom_webhooks/:custom_webhook_id/rotate_secret
  GET    /v1/custom_webhooks/:custom_webhook_id/deliveries
  POST   /v1/custom_webhooks/:custom_webhook_id/deliveries/:delivery_id/replay
  POST   /v1/custom_webhooks/:custom_webhook_id/test
  POST   /v1/teams/:team_id/cloud_connections
  GET    /v1/teams/:team_id/cloud_connections
  GET    /v1/cloud_connections/:cloud_connection_id
  PUT    /v1/cloud_connections/:cloud_connection_id
  DELETE /v1/cloud_connections/:cloud_connection_id
  POST   /v1/cloud_connections/:cloud_connection_id/rotate_secret
  POST   /v1/cloud_connections/:cloud_connection_id/test
  GET    /v1/cloud_connections/:cloud_connection_id/files
  POST   /v1/packages/:package_id/transfer
  GET    /v1/packages/:package_id/transfer
  GET    /v1/transfers/:transfer_id
  POST   /v1/transfers/:transfer_id/retry
  POST   /v1/transfers/:transfer_id/cancel
  GET    /v1/packages/:package_id/events
  GET    /v1/teams/:team_id/events
  POST   /v1/packages/:package_id/progress
  POST   /api/v1/downloads
  GET    /api/v1/downloads
  GET    /api/v1/downloads/:download_id
  POST   /api/v1/downloads/:download_id/pause
  POST   /api/v1/downloads/pause
  POST   /api/v1/downloads/:download_id/resume
  POST   /api/v1/downloads/resume
  DELETE /api/v1/downloads/:download_id
  DELETE /api/v1/downloads
  GET    /api/v1/events
  GET    /api/v1/openapi.json
`

/** `METHOD /path` with the names of parameters taken out: two paths that differ in those alone are one path. */
const address = (method: string, path: string) => `${method} ${path.replaceAll(/:\w+/g, ':')}`

const addressesIn = (list: string) =>
  list
    .trim()
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .map(([method = '', path = '']) => address(method, path))

const declared = named.flatMap(([, endpoint]) => pathsOf(endpoint).map((path) => address(endpoint.method, path)))

test('every endpoint of the specifications is declared', () => {
  const missing = addressesIn(published + publishedByAgent.trimStart()).filter((wanted) => !declared.includes(wanted))
  assert.deepEqual(missing, [])
})

test('every extension that was decided on is declared', () => {
  const missing = addressesIn(extensions).filter((wanted) => !declared.includes(wanted))
  assert.deepEqual(missing, [])
})

test('no two endpoints answer at the same method and path, aliases included', () => {
  const twice = declared.filter((one, index) => declared.indexOf(one) !== index)
  assert.deepEqual(twice, [])
})

for (const [folder, registered] of Object.entries({ cloud: cloudEndpoints, agent: agentEndpoints })) {
  test(`every endpoint that a file of ${folder}/ exports is registered under its own name`, async () => {
    const directory = new URL(`./${folder}/`, import.meta.url)
    const rooms = readdirSync(directory).filter((file) => file.endsWith('.ts') && file !== 'endpoints.ts')
    const exported: string[] = []
    for (const room of rooms) {
      const values = (await import(new URL(room, directory).href)) as Record<string, unknown>
      exported.push(
        ...Object.entries(values)
          .filter(([, value]) => typeof value === 'object' && value !== null && 'refusals' in value)
          .map(([name]) => name),
      )
    }
    assert.deepEqual(exported.sort(), Object.keys(registered).sort())
  })
}

test('no endpoint of the agent has the name of one of the cloud', () => {
  assert.deepEqual(
    Object.keys(agentEndpoints).filter((name) => name in cloudEndpoints),
    [],
  )
})

test('whatever the agent serves is its own, and nothing else is', () => {
  for (const endpoint of Object.values(cloudEndpoints)) assert.doesNotMatch(endpoint.credential, /^agent/)
  for (const endpoint of Object.values(agentEndpoints)) {
    assert.match(endpoint.credential, /^agent/)
    assert.match(endpoint.path, /^\/api\/v1\//)
  }
})

test('the parameters of a path are those its schema declares', () => {
  for (const [name, endpoint] of named) {
    const properties = endpoint.params === undefined ? {} : Object(Reflect.get(endpoint.params, 'properties'))
    for (const path of pathsOf(endpoint)) {
      assert.deepEqual(parametersOf(path).sort(), Object.keys(properties).sort(), `${name}: ${path}`)
    }
  }
})

test('roles are asked of users only, levels of package tokens only and always', () => {
  for (const [name, { credential, roles, levels }] of named) {
    if (roles !== undefined) assert.match(credential, /^user/, name)
    assert.equal(levels !== undefined, credential === 'package-token', name)
  }
})

test('an endpoint that answers with 204 has no body to answer, every other one has', () => {
  for (const [name, endpoint] of named) {
    if (endpoint.status === 204) assert.equal(endpoint.reply, undefined, name)
    if (endpoint.method === 'HEAD') assert.equal(endpoint.reply, undefined, name)
    else if (endpoint.status === 200 || endpoint.status === 201) {
      assert.ok(endpoint.reply !== undefined || endpoint.replyType !== undefined, name)
    }
  }
})

test('a GET takes no body', () => {
  for (const [name, endpoint] of named) {
    if (endpoint.method === 'GET') assert.equal(endpoint.body, undefined, name)
  }
})

test('every refusal of an endpoint is an error of the registry and named once', () => {
  for (const [name, endpoint] of named) {
    for (const refusal of refusalsOf(endpoint)) assert.ok(Object.hasOwn(errors, refusal), `${name}: ${refusal}`)
    assert.equal(new Set(endpoint.refusals).size, endpoint.refusals.length, name)
  }
})

const errorNames = Object.keys(errors) as ErrorName[]

test('no two errors share a code', () => {
  const codes = errorNames.map(codeOf)
  assert.equal(new Set(codes).size, codes.length)
})

test('a published code stays with its error for good', () => {
  for (const [name, code] of Object.entries(publishedCodes)) {
    assert.ok(Object.hasOwn(errors, name), `${name} (${code}) is gone; integrations compare codes`)
    assert.equal(codeOf(name as ErrorName), code, name)
  }
})

test('every error is in the list of published codes', () => {
  const missing = errorNames.filter((name) => !Object.hasOwn(publishedCodes, name))
  assert.deepEqual(missing, [], 'add them to error-codes.json')
})

test('262146 is the code of session_is_nil, as the agent has always answered it', () => {
  assert.equal(codeOf('session_is_nil'), 262_146)
  assert.equal(publishedCodes.session_is_nil, 262_146)
})

type Node = Readonly<Record<string, unknown>>

/** True when a pattern is anchored at both ends and nothing in it repeats without end. */
function matchesBoundedLength(pattern: string): boolean {
  if (!pattern.startsWith('^') || !pattern.endsWith('$')) return false
  const bones = pattern.replaceAll(/\\./g, 'x').replaceAll(/\[[^\]]*\]/g, 'x')
  const outside = bones.replaceAll(/\([^()]*\)/g, '')
  return !/[*+]|\{\d+,\}/.test(bones) && !outside.includes('|')
}

const isBounded = (node: Node) =>
  typeof node['maxLength'] === 'number' ||
  node['const'] !== undefined ||
  node['enum'] !== undefined ||
  node['format'] === 'uuid' ||
  (typeof node['pattern'] === 'string' && matchesBoundedLength(node['pattern']))

/** Every node of a schema with the place where it stands. */
function* nodesOf(schema: TSchema, place: string): Generator<readonly [string, Node]> {
  const node = schema as unknown as Node
  yield [place, node]
  const maps = [node['properties'], node['patternProperties']] as (Record<string, TSchema> | undefined)[]
  for (const map of maps) {
    for (const [key, child] of Object.entries(map ?? {})) yield* nodesOf(child, `${place}.${key}`)
  }
  if (node['items'] !== undefined) yield* nodesOf(node['items'] as TSchema, `${place}[]`)
  for (const branch of (node['anyOf'] ?? node['allOf'] ?? node['oneOf'] ?? []) as TSchema[]) {
    yield* nodesOf(branch, place)
  }
}

/** Places of a schema where a caller could send without end. */
function unboundedIn(schema: TSchema, place: string): string[] {
  const found: string[] = []
  for (const [at, node] of nodesOf(schema, place)) {
    if (node['type'] === 'string' && !isBounded(node)) found.push(`${at}: string`)
    if (node['type'] === 'array' && node['maxItems'] === undefined) found.push(`${at}: array`)
    const patterns = Object.keys(node['patternProperties'] ?? {})
    if (patterns.some((pattern) => !matchesBoundedLength(pattern))) found.push(`${at}: names`)
    if (patterns.length > 0 && node['maxProperties'] === undefined) found.push(`${at}: map`)
    // A name that matches no pattern is otherwise taken with any value at all.
    if (patterns.length > 0 && node['additionalProperties'] !== false) found.push(`${at}: other names`)
  }
  return found
}

test('nothing that a caller sends is without bound', () => {
  const found = named.flatMap(([name, { params, query, body }]) =>
    Object.entries({ params, query, body }).flatMap(([part, schema]) =>
      schema === undefined ? [] : unboundedIn(schema, `${name}.${part}`),
    ),
  )
  assert.deepEqual(found, [])
})

test('the search for bounds finds what has none', () => {
  const loose = Type.Object({
    plain: Type.String(),
    bounded: Type.String({ maxLength: 3 }),
    endless: Type.String({ pattern: '^a+$' }),
    loosened: Type.String({ pattern: '^a|b$' }),
    word: Type.String({ pattern: '^-?(?:a|b)$' }),
    list: Type.Array(Type.Union([Type.Literal('x'), Type.String()])),
    map: Type.Record(Type.String(), Type.String({ maxLength: 1 })),
  })
  assert.deepEqual(unboundedIn(loose, 'o'), [
    'o.plain: string',
    'o.endless: string',
    'o.loosened: string',
    'o.list: array',
    'o.list[]: string',
    'o.map: names',
    'o.map: map',
    'o.map: other names',
  ])
})

const id = '0199c1a0-0000-7000-8000-000000000001'
const now = '2026-01-02T03:04:05.678Z'
const times = { created_at: now, updated_at: now }

const portal: Static<typeof Portal> = {
  ...times,
  id,
  team_id: id,
  name: 'Rushes',
  subdomain: 'rushes',
  url: 'https://rushes.example.com',
  message: 'Two\nlines',
  active: true,
  has_access_code: false,
  access_code: '',
  recipients: ['a@example.com'],
  cc_recipients: [],
  disable_upload_receipt: false,
  has_download_password: false,
  download_password: '',
  custom_expiry_days: 0,
  cloud_connections: [],
  custom_webhooks: [{ id }],
  tag: { id, name: 'dailies' },
  access_level: 'regular',
  access_list: [],
  teamspace_id: '',
  terms_of_service_enabled: false,
  terms_of_service: {},
  package_size_restriction_enabled: false,
  max_package_size: 0,
  max_file_size: 0,
  max_file_count: 0,
  file_type_restriction_enabled: false,
  file_types: ['.mov', 'MXF'],
  expiry_enabled: false,
  expiry: zeroTime,
  primary_color: '',
  logo_url: '',
  background_url: '',
  custom_metadata: [{ name: 'reel', label: 'Reel', type: 'short_text', visibility: 'required' }],
}

const form: Static<typeof Form> = {
  ...times,
  id,
  portal_id: id,
  team_id: id,
  name: 'Slate',
  delivery_formats: ['json'],
  form_template_id: '',
  disabled: false,
  fields: [{ name: 'reel', label: 'Reel', type: 'radio', visibility: 'optional', position: 0, options: ['A', 'B'] }],
}

const webhook: Static<typeof ListedWebhook> = {
  ...times,
  id,
  team_id: id,
  active: true,
  events: ['package.finalized'],
  method: 'PUT',
  url: 'https://example.com/hook',
  name: '',
  headers: {},
  body_extras: { site: 'a' },
  connections: 2,
}

const readAndSentBack = [
  { what: 'Portal', object: portal, reply: Portal, body: updatePortal.body },
  { what: 'form', object: form, reply: Form, body: updateForm.body },
  { what: 'form', object: form, reply: Form, body: createForm.body },
  { what: 'webhook', object: webhook, reply: ListedWebhook, body: updateWebhook.body },
]

for (const { what, object, reply, body } of readAndSentBack) {
  test(`a ${what} can be sent back as it was read`, () => {
    assert.ok(body !== undefined)
    assert.deepEqual([...Value.Errors(reply, object)], [])
    assert.deepEqual([...Value.Errors(body, object)], [])
  })
}

test('the header of a webhook can neither end its line nor have a name that is none', () => {
  const body = updateWebhook.body
  assert.ok(body !== undefined)
  const accepts = (headers: Record<string, string>) => Value.Check(body, { ...webhook, headers })
  assert.equal(accepts({ 'X-Site': 'a b' }), true)
  assert.equal(accepts({ 'X-Site': 'a\r\nHost: b' }), false)
  assert.equal(accepts({ 'X Site': 'a' }), false)
  assert.equal(accepts({ 'X-Site\r\nHost': 'a' }), false)
})

test('hours of a schedule are times of a day', () => {
  const body = setUploadLimit.body
  assert.ok(body !== undefined)
  const accepts = (start: string) =>
    Value.Check(body, { rate_limit_bps: 1, enabled: true, schedule: { mon: { enabled: true, start, end: '00:00' } } })
  for (const time of ['00:00', '09:30', '23:59']) assert.equal(accepts(time), true, time)
  for (const time of ['24:00', '9:30', '12:60', '12:00:00', '']) assert.equal(accepts(time), false, time)
})

const asked = fc.integer({ min: minChunkSize, max: maxChunkSize })
const fileSize = fc.oneof(
  fc.integer({ min: 0, max: maxFileSize }),
  fc.integer({ min: 0, max: 10 * GiB }),
  // Right at the seams, where one byte more asks for a larger chunk.
  fc
    .tuple(fc.integer({ min: 1, max: 5_120 }), fc.integer({ min: -1, max: 1 }))
    .map(([mebibytes, nudge]) => Math.min(maxFileSize, 9_900 * mebibytes * MiB + nudge)),
)

test('a file of any size is cut into at most 9,900 chunks', () => {
  fc.assert(
    fc.property(asked, fileSize, (asked, size) => {
      assert.ok(chunkCount(size, chunkSizeFor(asked, size)) <= 9_900)
    }),
    { numRuns: 5_000 },
  )
})

test('a chunk is never smaller than was asked nor larger than storage takes', () => {
  fc.assert(
    fc.property(asked, fileSize, (asked, size) => {
      const chunk = chunkSizeFor(asked, size)
      assert.ok(chunk >= asked)
      assert.ok(chunk <= maxChunkSize)
      if (chunk > asked) assert.equal(chunk % MiB, 0)
    }),
    { numRuns: 5_000 },
  )
})

test('a chunk grows no more than it must', () => {
  fc.assert(
    fc.property(asked, fileSize, (asked, size) => {
      const chunk = chunkSizeFor(asked, size)
      if (chunk > asked && chunk - MiB >= asked) assert.ok(chunkCount(size, chunk - MiB) > 9_900)
    }),
    { numRuns: 5_000 },
  )
})

test('the chunks of a file hold all of it and none is empty', () => {
  fc.assert(
    fc.property(asked, fc.integer({ min: 1, max: maxFileSize }), (asked, size) => {
      const chunk = chunkSizeFor(asked, size)
      const count = chunkCount(size, chunk)
      assert.ok(count * chunk >= size)
      assert.ok((count - 1) * chunk < size)
    }),
  )
})

test('a file of 48 TiB fits, whatever chunk size was asked', () => {
  assert.ok(maxFileSize >= 48 * TiB)
  for (const asked of [minChunkSize, defaultChunkSize, maxChunkSize]) {
    const chunk = chunkSizeFor(asked, 48 * TiB)
    assert.ok(chunk <= maxChunkSize)
    assert.ok(chunkCount(48 * TiB, chunk) <= maxChunkCount)
  }
})

test('a file whose size is not known keeps the chunk size that was asked', () => {
  assert.equal(chunkSizeFor(defaultChunkSize, undefined), defaultChunkSize)
})

test('an empty file has one chunk', () => {
  assert.equal(chunkCount(0, defaultChunkSize), 1)
})

const examples = [
  { file: '100 MiB', size: 100 * MiB, chunk: 100, parts: 1 },
  { file: '100 GiB', size: 100 * GiB, chunk: 100, parts: 1_024 },
  { file: 'the most that chunks of 100 MiB carry', size: 9_900 * 100 * MiB, chunk: 100, parts: 9_900 },
  { file: 'one byte more than that', size: 9_900 * 100 * MiB + 1, chunk: 101, parts: 9_802 },
  { file: '5 TiB', size: 5 * TiB, chunk: 530, parts: 9_893 },
  { file: '20 TiB', size: 20 * TiB, chunk: 2_119, parts: 9_897 },
  { file: '48.3 TiB', size: Math.floor(48.3 * TiB), chunk: 5_116, parts: 9_900 },
]

for (const { file, size, chunk, parts } of examples) {
  test(`${file}: ${parts} chunk(s) of ${chunk} MiB`, () => {
    const chosen = chunkSizeFor(defaultChunkSize, size)
    assert.equal(chosen, chunk * MiB)
    assert.equal(chunkCount(size, chosen), parts)
  })
}
