import { Type } from 'typebox'
import { endpoint } from '#endpoint'
import { Id, Line, Text, Time, Word } from '#shapes'

const writable = {
  name: Type.Optional(Line(200)),
  description: Type.Optional(Text(2_000)),
  expiry: Type.Optional(Time),
  state: Word(['active', 'inactive']),
}

const fields = {
  id: Id,
  name: Type.String(),
  description: Type.String(),
  expiry: Time,
  state: Word(['active', 'inactive', 'suspended']),
  created_at: Time,
  updated_at: Time,
  last_request_at: Time,
}

export const ApiKey = Type.Object(fields)
export const CreatedApiKey = Type.Object({
  ...fields,
  key: Type.String({ description: 'The secret itself. Shown here and nowhere else.' }),
})

const KeyParams = Type.Object({ api_key_id: Id })

export const createApiKey = endpoint({
  chapter: 'API keys',
  summary: 'Create an API key',
  method: 'POST',
  path: '/v1/teams/:team_id/api_keys',
  credential: 'user-token',
  roles: ['owner', 'admin', 'integration_manager'],
  params: Type.Object({ team_id: Id }),
  body: Type.Object(writable),
  status: 201,
  reply: CreatedApiKey,
  idempotent: true,
  refusals: ['team_not_found'],
})

export const updateApiKey = endpoint({
  chapter: 'API keys',
  summary: 'Update an API key',
  description: 'Owners change every key of the Team, Admins and Integration Managers those they created.',
  method: 'PUT',
  path: '/v1/api_keys/:api_key_id',
  credential: 'user-token',
  roles: ['owner', 'admin', 'integration_manager'],
  params: KeyParams,
  body: Type.Object(writable),
  status: 200,
  reply: ApiKey,
  refusals: ['api_key_not_found', 'api_key_suspended'],
})

export const switchApiKey = endpoint({
  chapter: 'API keys',
  summary: 'Activate or deactivate an API key',
  method: 'PUT',
  path: '/v1/api_keys/:api_key_id/:action',
  credential: 'user-token',
  roles: ['owner', 'admin', 'integration_manager'],
  params: Type.Object({ api_key_id: Id, action: Word(['active', 'inactive']) }),
  status: 204,
  refusals: ['api_key_not_found', 'api_key_suspended'],
})

export const deleteApiKey = endpoint({
  chapter: 'API keys',
  summary: 'Delete an API key',
  method: 'DELETE',
  path: '/v1/api_keys/:api_key_id',
  credential: 'user-token',
  roles: ['owner', 'admin', 'integration_manager'],
  params: KeyParams,
  status: 204,
  refusals: ['api_key_not_found'],
})

export const listApiKeys = endpoint({
  chapter: 'API keys',
  summary: 'List the API keys of a Team',
  description: 'An Owner sees all keys of the Team; Admins and Integration Managers see those they created.',
  method: 'GET',
  path: '/v1/teams/:team_id/api_keys',
  credential: 'user-token',
  roles: ['owner', 'admin', 'integration_manager'],
  params: Type.Object({ team_id: Id }),
  status: 200,
  reply: Type.Array(ApiKey),
  refusals: ['team_not_found'],
})
