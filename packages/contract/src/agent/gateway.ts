import { Type } from 'typebox'
import { endpoint } from '#endpoint'
import { Line, Word } from '#shapes'
import { Done, HostPath } from './shapes.ts'

/** Declared with the rest of the API; an agent that cannot do them yet answers `not_built_yet`. */

const ConnectionId = Line(64, { minLength: 1 })
const Owner = (minimum: number) => Type.Optional(Type.Integer({ minimum, maximum: 4_294_967_294 }))

export const GatewayConnection = Type.Object({
  id: Type.String(),
  name: Type.String(),
  permissions: Word(['r', 'w', 'rw']),
  root_path: Type.String(),
  user_id: Owner(0),
  group_id: Owner(0),
  state: Word(['connecting', 'connected', 'error']),
  last_error: Type.String(),
})

const gateway = { chapter: 'Storage gateway', credential: 'agent' } as const

export const registerGateway = endpoint({
  ...gateway,
  summary: 'Connect a folder of the host',
  description: 'The folder and all within it become reachable for the Team that owns the connection.',
  method: 'POST',
  path: '/api/v1/storage_gateway/register',
  body: Type.Object({
    id: ConnectionId,
    name: Line(255, { minLength: 1 }),
    permissions: Word(['r', 'w', 'rw']),
    root_path: HostPath,
    secret: Line(256, { minLength: 1 }),
    user_id: Owner(0),
    group_id: Owner(0),
  }),
  status: 201,
  reply: GatewayConnection,
  refusals: ['path_not_found', 'gateway_exists', 'not_built_yet'],
})

export const listGateways = endpoint({
  ...gateway,
  summary: 'List connected folders',
  method: 'GET',
  path: '/api/v1/storage_gateway/list',
  status: 200,
  reply: Type.Object({ connections: Type.Array(GatewayConnection) }),
  refusals: ['not_built_yet'],
})

export const unregisterGateway = endpoint({
  ...gateway,
  summary: 'Disconnect a folder',
  method: 'POST',
  path: '/api/v1/storage_gateway/unregister',
  body: Type.Object({ id: ConnectionId }),
  status: 200,
  reply: Done,
  refusals: ['gateway_not_found', 'not_built_yet'],
})

export const updateGateway = endpoint({
  ...gateway,
  summary: 'Change a connected folder',
  description: '`user_id` and `group_id` of -1 remove the override.',
  method: 'POST',
  path: '/api/v1/storage_gateway/update',
  body: Type.Object({
    id: ConnectionId,
    root_path: Type.Optional(HostPath),
    user_id: Owner(-1),
    group_id: Owner(-1),
  }),
  status: 200,
  reply: GatewayConnection,
  refusals: ['path_not_found', 'gateway_not_found', 'not_built_yet'],
})
