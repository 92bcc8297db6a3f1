import type { Static, TSchema } from 'typebox'
import type { ErrorName } from '#errors'

/**
 * Which header a call is made with.
 *
 * `user` takes an API key or a user token; `user-token` refuses API keys. `user-or-access-code`
 * serves team members and outside senders alike. `link` is a link id with its secret. The last two are
 * calls of the local agent: whoever may reach it, and the same where it must be signed in to the cloud.
 */
export type Credential =
  | 'none'
  | 'user'
  | 'user-token'
  | 'package-token'
  | 'transfer-token'
  | 'access-code'
  | 'user-or-access-code'
  | 'link'
  | 'agent'
  | 'agent-session'

export type Role = 'owner' | 'admin' | 'integration_manager' | 'member'
export type TokenLevel = 'manage' | 'write' | 'read'

export type Method = 'GET' | 'HEAD' | 'POST' | 'PUT' | 'DELETE'

/** Chapters of the API reference, in reading order. */
export type Chapter =
  | 'System'
  | 'Setup'
  | 'Account'
  | 'API keys'
  | 'Team'
  | 'Tags'
  | 'Packages'
  | 'Upload'
  | 'Links'
  | 'Download'
  | 'Portals'
  | 'Forms'
  | 'Teamspaces'
  | 'Webhooks'
  | 'Connections'
  | 'Realtime'
  | 'Session'
  | 'Uploads'
  | 'Downloads'
  | 'Automations'
  | 'Storage gateway'
  | 'Settings'
  | 'Events'
  | 'Agent'

export interface Endpoint<
  Params extends TSchema = TSchema,
  Query extends TSchema = TSchema,
  Body extends TSchema = TSchema,
  Reply extends TSchema = TSchema,
> {
  readonly chapter: Chapter
  readonly summary: string
  readonly description?: string
  readonly method: Method
  /** `:name` stands for a path parameter. */
  readonly path: string
  /** Further paths that answer the same (the account calls are also served without their version). */
  readonly aliases?: readonly string[]
  readonly credential: Credential
  /** Roles that may call it; everyone in the team where left out. */
  readonly roles?: readonly Role[]
  /** Levels of package token that may call it. */
  readonly levels?: readonly TokenLevel[]
  readonly params?: Params
  readonly query?: Query
  readonly body?: Body
  /** True where the body may be left out altogether. */
  readonly bodyOptional?: boolean
  /** Largest body in bytes; 64 KiB where left out. */
  readonly bodyLimit?: number
  readonly status: 200 | 201 | 202 | 204
  readonly reply?: Reply
  /** Media type of the reply where it is not JSON. */
  readonly replyType?: string
  /** True where `Idempotency-Key` is honoured. */
  readonly idempotent?: boolean
  /** Refusals of this call itself; those of its credential and of every call are added by `refusalsOf`. */
  readonly refusals: readonly ErrorName[]
}

/** Declares an endpoint, keeping the exact types of its schemas. */
export function endpoint<
  Params extends TSchema = never,
  Query extends TSchema = never,
  Body extends TSchema = never,
  Reply extends TSchema = never,
>(declared: Endpoint<Params, Query, Body, Reply>): Endpoint<Params, Query, Body, Reply> {
  return declared
}

type Part<Name extends string, Schema> = [Schema] extends [never]
  ? { readonly [K in Name]?: undefined }
  : Schema extends TSchema
    ? { readonly [K in Name]: Static<Schema> }
    : never

/** What a caller of an endpoint gives: its path parameters, query and body. */
export type InputOf<E> =
  E extends Endpoint<infer P, infer Q, infer B, infer _R>
    ? Part<'params', P> & Part<'query', Q> & Part<'body', B>
    : never

/** What an endpoint answers; `undefined` where it answers without a body. */
export type ReplyOf<E> =
  E extends Endpoint<infer _P, infer _Q, infer _B, infer R>
    ? [R] extends [never]
      ? undefined
      : R extends TSchema
        ? Static<R>
        : never
    : never

const refusalsOfCredential: Readonly<Record<Credential, readonly ErrorName[]>> = {
  none: [],
  user: ['credential_missing', 'credential_invalid', 'token_expired', 'api_key_inactive', 'credentials_conflict'],
  'user-token': ['credential_missing', 'credential_invalid', 'token_expired', 'credentials_conflict'],
  'package-token': [
    'credential_missing',
    'credential_invalid',
    'token_expired',
    'token_revoked',
    'credentials_conflict',
  ],
  'transfer-token': ['credential_missing', 'credential_invalid', 'token_expired', 'credentials_conflict'],
  'access-code': ['access_code_wrong'],
  'user-or-access-code': [
    'credential_missing',
    'credential_invalid',
    'token_expired',
    'api_key_inactive',
    'access_code_wrong',
    'credentials_conflict',
  ],
  link: ['link_not_found', 'link_password_required', 'link_password_wrong'],
  agent: ['foreign_caller', 'agent_token_wrong'],
  'agent-session': ['foreign_caller', 'agent_token_wrong', 'session_is_nil'],
}

const isLocal = ({ credential }: Endpoint) => credential === 'agent' || credential === 'agent-session'

/** Every refusal a caller of this endpoint can meet, by name. */
export function refusalsOf(endpoint: Endpoint): readonly ErrorName[] {
  const names = new Set<ErrorName>([...refusalsOfCredential[endpoint.credential], ...endpoint.refusals])
  if (endpoint.params !== undefined || endpoint.query !== undefined || endpoint.body !== undefined) {
    names.add('validation_failed')
  }
  if (endpoint.body !== undefined) {
    names.add('malformed_request').add('unsupported_media_type').add('body_too_large')
  }
  if (endpoint.roles !== undefined) names.add('insufficient_role')
  if (endpoint.levels !== undefined && endpoint.levels.length < 3) names.add('token_level_insufficient')
  if (endpoint.idempotent === true) names.add('idempotency_conflict')
  // Nobody but its owner calls an agent.
  if (!isLocal(endpoint)) names.add('rate_limited')
  return [...names]
}
