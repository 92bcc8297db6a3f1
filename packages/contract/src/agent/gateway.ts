import { Type } from 'typebox'
import { endpoint } from '#endpoint'
import { Id, Line, Word } from '#shapes'
import { Done, HostPath } from './shapes.ts'

// Nobody is given files of root, and nothing is 0 by mistake.
const Owner = Type.Integer({ minimum: 1, maximum: 4_294_967_294 })
const NewOwner = Type.Union([Type.Literal(-1), Owner])

export const GatewayConnection = Type.Object({
  id: Id,
  name: Type.String(),
  permissions: Word(['r', 'w', 'rw']),
  root_path: Type.String(),
  user_id: Type.Optional(Owner),
  group_id: Type.Optional(Owner),
  state: Word(['connecting', 'connected', 'error'], {
    description: '`error`: it needs somebody. `connecting`: it tries by itself.',
  }),
  last_error: Type.String({ description: 'What is wrong and what to do; empty where nothing is.' }),
})

const gateway = { chapter: 'Storage gateway', credential: 'agent' } as const

export const registerGateway = endpoint({
  ...gateway,
  summary: 'Connect a folder of the host',
  description: 'The folder and all within it become reachable for the Team that owns the connection.',
  method: 'POST',
  path: '/api/v1/storage_gateway/register',
  body: Type.Object({
    id: Id,
    name: Line(255, { minLength: 1 }),
    permissions: Word(['r', 'w', 'rw']),
    root_path: HostPath,
    secret: Line(256, { minLength: 1 }),
    user_id: Type.Optional(Owner),
    group_id: Type.Optional(Owner),
  }),
  status: 201,
  reply: GatewayConnection,
  idempotent: true,
  refusals: ['path_not_found', 'gateway_exists'],
})

export const listGateways = endpoint({
  ...gateway,
  summary: 'List connected folders',
  method: 'GET',
  path: '/api/v1/storage_gateway/list',
  status: 200,
  reply: Type.Object({ connections: Type.Array(GatewayConnection) }),
  refusals: [],
})

export const unregisterGateway = endpoint({
  ...gateway,
  summary: 'Disconnect a folder',
  method: 'POST',
  path: '/api/v1/storage_gateway/unregister',
  body: Type.Object({ id: Id }),
  status: 200,
  reply: Done,
  refusals: ['gateway_not_found'],
})

export const updateGateway = endpoint({
  ...gateway,
  summary: 'Change a connected folder',
  description: 'Also tries anew to connect. `user_id` and `group_id` of -1 remove the override.',
  method: 'POST',
  path: '/api/v1/storage_gateway/update',
  body: Type.Object({
    id: Id,
    root_path: Type.Optional(HostPath),
    secret: Type.Optional(Line(256, { minLength: 1, description: 'Once the cloud has given it another.' })),
    user_id: Type.Optional(NewOwner),
    group_id: Type.Optional(NewOwner),
  }),
  status: 200,
  reply: GatewayConnection,
  refusals: ['path_not_found', 'gateway_not_found'],
})
