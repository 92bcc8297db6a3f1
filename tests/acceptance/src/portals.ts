import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import type { CallInput } from '@longshore/client/client'
import { answerForm, createForm } from '@longshore/contract/cloud/forms'
import { createPortalPackage } from '@longshore/contract/cloud/packages'
import { createPortal } from '@longshore/contract/cloud/portals'
import type { ReplyOf } from '@longshore/contract/endpoint'
import { type How, use } from '#calls'
import { ownAddress } from '#http'
import { target } from '#target'
import { type Package, someName } from '#walk'

export type Portal = ReplyOf<typeof createPortal>
export type PortalFields = CallInput<typeof createPortal>['body']
export type FormFields = CallInput<typeof createForm>['body']

export const someSubdomain = (): string => `portal-${randomBytes(6).toString('hex')}`

export const asOwner: How = { as: { apiKey: target.api_key } }

export const inPortal = (portal: { readonly id: string }) => ({ portal_id: portal.id })

export const newPortal = (fields: Partial<PortalFields> = {}): PortalFields => ({
  name: someName('Dailies'),
  subdomain: someSubdomain(),
  active: true,
  ...fields,
})

/** An open Portal. */
export const makePortal = (
  fields: Partial<PortalFields> = {},
  how: How = asOwner,
  teamId = target.team_id,
): Promise<Portal> => use(createPortal, { params: { team_id: teamId }, body: newPortal(fields) }, how)

export const newForm = (fields: Partial<FormFields> = {}): FormFields => ({
  name: someName('Form'),
  delivery_formats: ['json'],
  fields: [
    { name: 'scene', label: 'Scene', type: 'short_text', visibility: 'required' },
    { name: 'note', label: 'Note', type: 'long_text', visibility: 'optional', default_value: 'none' },
  ],
  ...fields,
})

export const makeForm = (portal: Portal, fields: Partial<FormFields> = {}, how: How = asOwner) =>
  use(createForm, { params: inPortal(portal), body: newForm(fields) }, how)

/** Comes with an access code, from an address that nobody else guesses from. */
export const sender = (accessCode = ''): How => ({ as: { accessCode }, from: ownAddress() })

export const newPackage = (more: { form_data_id?: string; chunk_size?: number } = {}) => ({
  name: someName('Day'),
  description: '',
  sender: 'sender@example.test',
  ...more,
})

/** A package of an outside sender; the rest of the walk goes on with its write token. */
export async function sendTo(
  portal: Portal,
  more: { form_data_id?: string } = {},
  how: How = sender(),
): Promise<Package> {
  const pkg = await use(createPortalPackage, { params: inPortal(portal), body: newPackage(more) }, how)
  assert.ok(pkg.access_token !== undefined)
  return { ...pkg, access_token: pkg.access_token }
}

export const answer = (portal: Portal, body: Record<string, { value: string }>, how: How = sender()) =>
  use(answerForm, { params: inPortal(portal), body }, how)
