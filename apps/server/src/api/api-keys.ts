import * as wire from '@longshore/contract/cloud/api-keys'
import { switchApiKey, updateApiKey } from '#domain/api-keys/change-api-key'
import { createApiKey } from '#domain/api-keys/create-api-key'
import { deleteApiKey } from '#domain/api-keys/delete-api-key'
import { listApiKeys } from '#domain/api-keys/list-api-keys'
import { route } from './route.ts'

export const apiKeyRoutes = [
  route(wire.createApiKey, (cx, { caller, params, body, once }) =>
    createApiKey(cx, caller, params.team_id, body, once),
  ),
  route(wire.updateApiKey, (cx, { caller, params, body }) => updateApiKey(cx, caller, params.api_key_id, body)),
  route(wire.switchApiKey, (cx, { caller, params }) => switchApiKey(cx, caller, params.api_key_id, params.action)),
  route(wire.deleteApiKey, (cx, { caller, params }) => deleteApiKey(cx, caller, params.api_key_id)),
  route(wire.listApiKeys, (cx, { caller, params }) => listApiKeys(cx, caller, params.team_id)),
]
