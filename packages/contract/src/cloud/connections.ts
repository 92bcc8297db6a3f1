import { Type } from 'typebox'
import { endpoint } from '#endpoint'
import { Bytes, Id, Line, Time, Word } from '#shapes'
import { PackageParams, TeamParams } from './packages.ts'

const Provider = Word(['s3', 'storage_gateway'], {
  description: 'Any S3-compatible store, or a folder behind an agent.',
})
const Direction = Word(['import', 'export', 'both'], { description: 'From the storage, to it, or both.' })

const TargetDirectory = Type.String({
  maxLength: 1_024,
  pattern: '^[^\\u0000-\\u001f\\u007f\\\\]*$',
  description: 'Folder, or prefix of keys; empty for the root.',
})

const Authorization = Type.Object(
  {
    endpoint: Type.Optional(
      Type.String({ maxLength: 2_048, pattern: '^[hH][tT][tT][pP][sS]?://[^\\s\\u0000-\\u001f\\u007f]+$' }),
    ),
    region: Type.Optional(Line(64)),
    bucket: Line(255, { minLength: 1 }),
    access_key_id: Line(256, { minLength: 1 }),
    secret_access_key: Line(256, { minLength: 1 }),
    session_token: Type.Optional(Line(8_192)),
    path_style: Type.Optional(Type.Boolean()),
  },
  { description: 'Keys of an `s3` connection. Never shown again; a storage gateway has none.' },
)

const fields = {
  id: Id,
  team_id: Id,
  name: Type.String(),
  provider: Provider,
  direction: Direction,
  target_directory: Type.String(),
  created_at: Time,
  updated_at: Time,
}

export const CloudConnection = Type.Object(fields)

export const CreatedCloudConnection = Type.Object({
  ...fields,
  secret: Type.Optional(
    Type.String({
      description: 'With it an agent registers as this storage gateway. Not shown again; it can be renewed.',
    }),
  ),
})

const connections = {
  chapter: 'Connections',
  credential: 'user',
  roles: ['owner', 'admin', 'integration_manager'],
} as const

const ConnectionParams = Type.Object({ cloud_connection_id: Id })

export const createConnection = endpoint({
  ...connections,
  summary: 'Create a cloud connection',
  description: 'Endpoints inside private networks are refused, unless the operator allows them.',
  method: 'POST',
  path: '/v1/teams/:team_id/cloud_connections',
  params: TeamParams,
  body: Type.Object({
    name: Line(200, { minLength: 1 }),
    provider: Provider,
    direction: Direction,
    authorization: Type.Optional(Authorization),
    target_directory: Type.Optional(TargetDirectory),
  }),
  status: 201,
  reply: CreatedCloudConnection,
  idempotent: true,
  refusals: ['team_not_found'],
})

export const listConnections = endpoint({
  ...connections,
  summary: 'List the cloud connections of a Team',
  method: 'GET',
  path: '/v1/teams/:team_id/cloud_connections',
  params: TeamParams,
  status: 200,
  reply: Type.Array(CloudConnection),
  refusals: ['team_not_found'],
})

export const readConnection = endpoint({
  ...connections,
  summary: 'Read a cloud connection',
  method: 'GET',
  path: '/v1/cloud_connections/:cloud_connection_id',
  params: ConnectionParams,
  status: 200,
  reply: CloudConnection,
  refusals: ['connection_not_found'],
})

export const updateConnection = endpoint({
  ...connections,
  summary: 'Change a cloud connection',
  description: 'What is left out stays. The provider cannot be changed.',
  method: 'PUT',
  path: '/v1/cloud_connections/:cloud_connection_id',
  params: ConnectionParams,
  body: Type.Object({
    name: Type.Optional(Line(200, { minLength: 1 })),
    direction: Type.Optional(Direction),
    authorization: Type.Optional(Authorization),
    target_directory: Type.Optional(TargetDirectory),
  }),
  status: 200,
  reply: CloudConnection,
  refusals: ['connection_not_found'],
})

export const deleteConnection = endpoint({
  ...connections,
  summary: 'Delete a cloud connection',
  description: 'Portals go on without it. Transfers that run over it end in error.',
  method: 'DELETE',
  path: '/v1/cloud_connections/:cloud_connection_id',
  params: ConnectionParams,
  status: 204,
  refusals: ['connection_not_found'],
})

export const rotateGatewaySecret = endpoint({
  ...connections,
  summary: 'Give a storage gateway a new secret',
  description:
    'The old one ends at once, since it may have leaked, and its agent is disconnected until it is given the new one. Deliveries and imports that are under way wait for it, and Portals stay attached.',
  method: 'POST',
  path: '/v1/cloud_connections/:cloud_connection_id/rotate_secret',
  params: ConnectionParams,
  status: 200,
  reply: Type.Object({ secret: Type.String({ description: 'Shown here and nowhere else.' }) }),
  refusals: ['connection_not_found'],
})

export const testConnection = endpoint({
  ...connections,
  summary: 'Try a cloud connection',
  method: 'POST',
  path: '/v1/cloud_connections/:cloud_connection_id/test',
  params: ConnectionParams,
  status: 200,
  reply: Type.Object({
    ok: Type.Boolean(),
    message: Type.String({ description: 'What failed; empty when all is well.' }),
  }),
  refusals: ['connection_not_found', 'gateway_offline'],
})

export const listConnectionFiles = endpoint({
  ...connections,
  summary: 'Look into the storage of a cloud connection',
  description: 'One folder, in the order of names.',
  method: 'GET',
  path: '/v1/cloud_connections/:cloud_connection_id/files',
  params: ConnectionParams,
  query: Type.Object({
    prefix: Type.Optional(Type.String({ maxLength: 4_096, description: 'The folder; the root if left out.' })),
    after: Type.Optional(Type.String({ maxLength: 4_096, description: '`next` of the page before.' })),
    count: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 1_000, description: 'Entries on a page; 1,000 if left out.' }),
    ),
  }),
  status: 200,
  reply: Type.Object({
    files: Type.Array(
      Type.Object({
        kind: Word(['file', 'directory']),
        name: Type.String(),
        path: Type.String(),
        size: Type.Optional(Bytes),
        last_modified: Type.Optional(Time),
      }),
    ),
    next: Type.String({ description: 'Empty on the last page.' }),
  }),
  refusals: ['connection_not_found', 'connection_refused', 'gateway_offline', 'storage_unavailable'],
})

export const transferDirections = ['import', 'export'] as const
export const transferStates = ['pending', 'started', 'complete', 'cancelled', 'error'] as const

export const Transfer = Type.Object({
  id: Id,
  package_id: Id,
  cloud_connection_id: Type.String({ description: 'Empty when single-use keys were given.' }),
  direction: Word(transferDirections, { description: 'From the storage into the package, or the other way.' }),
  state: Word(transferStates),
  progress: Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description: 'Bytes that arrived.' }),
  size: Bytes,
  left_out: Type.Integer({
    minimum: 0,
    description:
      'Files that are not sent: a virus was found in them, or they are damaged. Of an import from behind a storage gateway: those that are links, cannot be read, or have a name that no package can have.',
  }),
  error: Type.String({ description: 'Why it ended in error; otherwise empty.' }),
  access_token: Type.String({ description: 'Transfer token. Send it in X-Transfer-Token.' }),
  created_at: Time,
  updated_at: Time,
})

/** Folders and files that one import may name. */
export const maxImportPaths = 1_000

export const startTransfer = endpoint({
  chapter: 'Connections',
  summary: 'Send a package to cloud storage, or fill one from it',
  description:
    'To a connection of the Team with a management token, or anywhere with `authorization` for this one transfer. A read token takes `authorization` only, and its transfer counts as one access of the link. With `paths` it goes the other way: these become files of a package that is still `new`, for a management token alone.',
  method: 'POST',
  path: '/v1/packages/:package_id/transfer',
  credential: 'package-token',
  levels: ['manage', 'read'],
  params: PackageParams,
  body: Type.Object({
    cloud_connection_id: Type.Optional(Id),
    provider: Type.Optional(Type.Literal('s3')),
    authorization: Type.Optional(Authorization),
    target_directory: Type.Optional(TargetDirectory),
    paths: Type.Optional(
      Type.Array(Type.String({ maxLength: 4_096 }), {
        minItems: 1,
        maxItems: maxImportPaths,
        description:
          'What is taken from the storage, below `target_directory`: files, folders with a slash at their end, or an empty text for all of it.',
      }),
    ),
    finalize: Type.Optional(
      Type.Boolean({ description: 'With `paths`: the package is finalized when all of them have arrived.' }),
    ),
  }),
  status: 201,
  reply: Transfer,
  idempotent: true,
  refusals: [
    'package_not_found',
    'package_not_finalized',
    'package_not_new',
    'package_expired',
    'gateway_offline',
    'link_locked',
  ],
})

export const listTransfers = endpoint({
  chapter: 'Connections',
  summary: 'List the transfers of a package',
  method: 'GET',
  path: '/v1/packages/:package_id/transfer',
  credential: 'package-token',
  levels: ['manage'],
  params: PackageParams,
  status: 200,
  reply: Type.Array(Transfer),
  refusals: ['package_not_found'],
})

const transfers = {
  chapter: 'Connections',
  credential: 'transfer-token',
  params: Type.Object({ transfer_id: Id }),
  status: 200,
  reply: Transfer,
} as const

export const readTransfer = endpoint({
  ...transfers,
  summary: 'See how a transfer goes',
  method: 'GET',
  path: '/v1/transfers/:transfer_id',
  refusals: ['transfer_not_found'],
})

export const retryTransfer = endpoint({
  ...transfers,
  summary: 'Try a transfer again',
  description: 'Files that arrived are not moved again.',
  method: 'POST',
  path: '/v1/transfers/:transfer_id/retry',
  refusals: ['transfer_not_found', 'transfer_not_retryable', 'package_not_new', 'package_expired', 'gateway_offline'],
})

export const cancelTransfer = endpoint({
  ...transfers,
  summary: 'Cancel a transfer',
  description:
    'Files that have arrived stay, those that have not leave the package again. One that has ended stays as it ended.',
  method: 'POST',
  path: '/v1/transfers/:transfer_id/cancel',
  refusals: ['transfer_not_found'],
})
