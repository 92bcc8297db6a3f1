import * as wire from '@longshore/contract/agent/automations'
import type { InputOf } from '@longshore/contract/endpoint'
import { validator } from '@longshore/kit/door/validation'
import type { TObject } from 'typebox'

/** The six kinds of automations, by what creates them. */
const endpoints = {
  portal_download: wire.createPortalDownload,
  all_portals_download: wire.createAllPortalsDownload,
  team_upload: wire.createTeamUpload,
  portal_upload: wire.createPortalUpload,
  team_stream: wire.createTeamStream,
  portal_stream: wire.createPortalStream,
} as const

export type Kind = keyof typeof endpoints
export type FieldsOf<K extends Kind> = InputOf<(typeof endpoints)[K]>['body']

export type Automation<K extends Kind = Kind> = {
  readonly [Each in K]: { readonly id: string; readonly type: Each; readonly fields: FieldsOf<Each> }
}[K]

export const isKind = (type: unknown): type is Kind => typeof type === 'string' && Object.hasOwn(endpoints, type)

const secrets = ['download_password', 'portal_password'] as const

/** Without passwords, for all who look at it. */
export function withoutSecrets<Fields extends object>(fields: Fields): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !secrets.includes(name as never))) as Fields
}

/** Only what belongs to this kind. */
export function known<K extends Kind>(type: K, fields: object): FieldsOf<K> {
  const { properties } = endpoints[type].body as TObject
  return Object.fromEntries(Object.entries(fields).filter(([name]) => Object.hasOwn(properties, name))) as FieldsOf<K>
}

/** Refuses fields that a call to create it would be refused for. */
export const checkFields = <K extends Kind>(type: K, fields: unknown): FieldsOf<K> =>
  validator(endpoints[type].body as TObject, 'body')(fields) as FieldsOf<K>
