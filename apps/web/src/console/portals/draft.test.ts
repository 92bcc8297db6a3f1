import assert from 'node:assert/strict'
import { test } from 'node:test'
import { draftOf, formBodyOf, freshName, portalBodyOf, subdomainOf } from './draft.ts'

test('a Portal that is read, edited nowhere and saved stays as it was', () => {
  const portal = {
    name: 'Dailies',
    subdomain: 'dailies',
    message: 'Two\nlines',
    active: false,
    recipients: ['a@example.com', 'b@example.com'],
    max_package_size: 2_500_000_000,
    max_file_size: 0,
    max_file_count: 12,
    package_size_restriction_enabled: true,
    file_types: ['mov', 'mxf'],
    custom_expiry_days: -1,
    disable_upload_receipt: true,
    terms_of_service: { title: 'Terms', text: 'Be kind.' },
    custom_webhooks: [{ id: 'w' }],
    cloud_connections: [{ id: 'c' }],
    primary_color: '#112233',
  }
  const body = portalBodyOf(draftOf(portal, undefined, 'UTC'))
  for (const [name, value] of Object.entries(portal)) assert.deepEqual(body[name as keyof typeof body], value, name)
})

test('lists are typed with commas, spaces or lines between, and nothing counts twice', () => {
  const draft = { ...draftOf({}, undefined, 'UTC'), recipients: 'a@x.y, b@x.y\na@x.y ;c@x.y ', file_types: '.MOV mxf' }
  assert.deepEqual(portalBodyOf(draft).recipients, ['a@x.y', 'b@x.y', 'c@x.y'])
  assert.deepEqual(portalBodyOf(draft).file_types, ['.MOV', 'mxf'])
})

test('fields keep the order of the list, and only choices have options', () => {
  const field = { visibility: 'optional', default_value: '', options: 'dry\n\n wet ', isNamedByLabel: true } as const
  const draft = {
    ...draftOf({ name: 'Dailies' }, undefined, 'UTC'),
    fields: [
      { ...field, name: 'b', label: 'B', type: 'dropdown' as const },
      { ...field, name: 'a', label: 'A', type: 'short_text' as const },
    ],
  }
  const { fields = [], name } = formBodyOf(draft)
  assert.equal(name, 'Dailies')
  assert.deepEqual(
    fields.map(({ name, position, options }) => ({ name, position, options })),
    [
      { name: 'b', position: 0, options: ['dry', 'wet'] },
      { name: 'a', position: 1, options: undefined },
    ],
  )
})

test('names of fields come from their labels and are never the same twice', () => {
  assert.equal(freshName('Drehtag / Größe', []), 'drehtag_gro_e')
  assert.equal(freshName('Scene', ['scene', 'scene_2']), 'scene_3')
  assert.equal(freshName('場面', []), 'field')
  assert.equal(subdomainOf('Häfen & Söhne'), 'hafen-sohne')
})
