import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createApiKey as createApiKeyWire } from '@longshore/contract/cloud/api-keys'
import { addFiles as addFilesWire, listFiles as listFilesWire } from '@longshore/contract/cloud/files'
import {
  createLink as createLinkWire,
  listLinks as listLinksWire,
  lookUpLink as lookUpLinkWire,
} from '@longshore/contract/cloud/links'
import {
  createTeamPackage as createTeamPackageWire,
  readPackage as readPackageWire,
} from '@longshore/contract/cloud/packages'
import type { TSchema } from 'typebox'
import { Check, Errors } from 'typebox/value'
import { createApiKey } from '#domain/api-keys/create-api-key'
import { archiveId, archiveKinds } from '#domain/archives/kinds'
import { listFiles } from '#domain/downloads/list-files'
import { lookUpLink } from '#domain/links/look-up-link'
import { createLink, listLinks } from '#domain/links/manage-links'
import { linkExpiry } from '#domain/links/present'
import { createTeamPackage } from '#domain/packages/create-team-package'
import { readPackage } from '#domain/packages/read-package'
import { addFiles } from '#domain/uploads/add-files'
import { testCx } from '#test-kit/cx'
import { callerFor, makePackage, makeTeam } from '#test-kit/make'

/** The reply has the shape that the contract declares, and not a field more. */
function assertShape(endpoint: { readonly reply?: TSchema }, reply: unknown): void {
  assert.ok(endpoint.reply !== undefined)
  const wire: unknown = JSON.parse(JSON.stringify(reply))
  assert.ok(Check(endpoint.reply, wire), JSON.stringify(Errors(endpoint.reply, wire)))
  assertNothingMore(endpoint.reply, wire, '')
}

function assertNothingMore(schema: TSchema, value: unknown, at: string): void {
  const { properties, items } = schema as { properties?: Record<string, TSchema>; items?: TSchema }
  if (items !== undefined && Array.isArray(value)) {
    for (const [index, item] of value.entries()) assertNothingMore(items, item, `${at}/${index}`)
  } else if (properties !== undefined && typeof value === 'object' && value !== null) {
    for (const [name, inner] of Object.entries(value)) {
      assert.ok(properties[name] !== undefined, `${at}/${name} is not in the contract`)
      assertNothingMore(properties[name], inner, `${at}/${name}`)
    }
  }
}

test('a package, its files and its links are shown as the contract says', async (t) => {
  const cx = await testCx(t)
  const { owner, id: teamId } = await makeTeam(cx)
  const given = { name: 'n', description: 'd', recipients: ['r@example.test'], password: 'pw', tag: { name: 'urgent' } }
  const created = await createTeamPackage(cx, owner.caller, teamId, given)
  assertShape(createTeamPackageWire, created)
  assert.deepEqual([created.password, created.recipients, created.tag?.name], ['pw', ['r@example.test'], 'urgent'])

  const pkg = await makePackage(cx, { files: [{}, { inParts: true }] })
  assertShape(readPackageWire, await readPackage(cx, pkg.manager, pkg.id))
  const last_modified = '2026-01-02T03:04:05.000Z'
  assertShape(
    addFilesWire,
    await addFiles(cx, pkg.manager, pkg.id, [
      { kind: 'file', name: 'a', path: '', last_modified, size: 1 },
      { kind: 'file', name: 'b', path: '', last_modified },
      { kind: 'directory', name: 'c', path: '', last_modified },
    ]),
  )
  const link = await createLink(cx, pkg.manager, pkg.id, { email: 'e@example.test', password: 'pw', access_limit: 2 })
  assertShape(createLinkWire, link)
  const links = await listLinks(cx, pkg.manager, pkg.id)
  assertShape(listLinksWire, links)
  assert.ok(!JSON.stringify(links).includes(link.secret), 'a link’s secret is shown once')
  assert.equal(links[0]?.password, '****')
  assertShape(createApiKeyWire, await createApiKey(cx, owner.caller, teamId, { state: 'active' }))
})

test('who holds a write or read token sees neither recipients nor password nor a token', async (t) => {
  const cx = await testCx(t)
  const pkg = await makePackage(cx, { recipients: ['r@example.test'], password: 'pw', files: [{}], finalized: true })
  for (const level of ['write', 'read'] as const) {
    const shown = await readPackage(cx, await callerFor(cx, pkg, level), pkg.id)
    assert.deepEqual(
      ['recipients', 'password', 'access_token'].filter((name) => name in shown),
      [],
    )
  }
})

test('a link that is opened is shown as the contract says, and its token reads', async (t) => {
  const cx = await testCx(t)
  const pkg = await makePackage(cx, { files: [{}], finalized: true })
  const { id, secret } = await createLink(cx, pkg.manager, pkg.id, {})
  const opened = await lookUpLink(cx, id, { secret, password: undefined }, '192.0.2.1')
  assertShape(lookUpLinkWire, opened)
  const reader = { kind: 'package-token' as const, ...(await cx.tokens.verifyPackage(opened.package_token)) }
  assert.deepEqual([reader.level, reader.linkId], ['read', id])
  let text = ''
  for await (const piece of await listFiles(cx, reader, pkg.id)) text += piece
  const listed = JSON.parse(text) as { id: string }[]
  assert.ok(listFilesWire.reply !== undefined && Check(listFilesWire.reply, listed))
  const archives = archiveKinds.map((kind) => archiveId(pkg.id, kind))
  assert.deepEqual(
    listed.map((file) => file.id),
    [...pkg.files.map((file) => file.id), ...archives],
  )
})

test('the file list is whole over many batches, in the order of adding, each file once', async (t) => {
  const cx = await testCx(t)
  const pkg = await makePackage(cx)
  const entry = (name: string, path: string) =>
    ({ kind: 'directory', name, path, last_modified: '2026-01-02T03:04:05.000Z' }) as const
  const names = Array.from({ length: 900 }, (_, index) => `n${index}`)
  const paths = ['b/c', '', 'b']
  for (const path of paths) {
    await addFiles(
      cx,
      pkg.manager,
      pkg.id,
      names.map((name) => entry(name, path)),
    )
  }
  let text = ''
  for await (const piece of await listFiles(cx, pkg.manager, pkg.id)) text += piece
  const listed = (JSON.parse(text) as { path: string; name: string }[]).map(({ path, name }) => `${path}\0${name}`)
  assert.deepEqual(
    listed,
    paths.flatMap((path) => names.map((name) => `${path}\0${name}`)),
  )
  const empty = await makePackage(cx)
  let nothing = ''
  for await (const piece of await listFiles(cx, empty.manager, empty.id)) nothing += piece
  assert.equal(nothing, '[]')
})

test('a link ends with the earlier of its own end and the package’s', () => {
  const [early, late] = [new Date(1000), new Date(2000)]
  for (const [link, pkg, end] of [
    [null, null, null],
    [null, late, late],
    [early, null, early],
    [early, late, early],
    [late, early, early],
  ] as const) {
    assert.equal(linkExpiry({ expiry: link }, { expiry: pkg }), end)
  }
})
