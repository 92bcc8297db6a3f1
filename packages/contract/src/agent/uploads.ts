import { Type } from 'typebox'
import { ChunkSize } from '#cloud/packages'
import { endpoint } from '#endpoint'
import { MiB } from '#limits'
import { Count, Email, Id, Line, QueryList, Secret, TagObject, Text, Time, Word } from '#shapes'
import {
  Done,
  DoneToMany,
  FifoRank,
  HostPath,
  ItemsQuery,
  itemFields,
  PageQuery,
  Priority,
  transferFields,
  UploadParams,
} from './shapes.ts'

export const uploadStates = ['transferring', 'paused', 'idle', 'complete', 'error'] as const
export const UploadState = Word(uploadStates)

const uploadFields = {
  upload_id: Id,
  ...transferFields,
  state: UploadState,
  type: Word(['team', 'portal', 'gateway']),
}

/** An upload as lists and events show it. */
export const ListedUpload = Type.Object(uploadFields)

export const Upload = Type.Object({ ...uploadFields, ...itemFields })

export const mostPaths = 10_000

const sent = {
  paths: Type.Array(HostPath, { minItems: 1, maxItems: mostPaths, description: 'Files and folders on the host.' }),
  package_name: Type.Optional(Line(255, { minLength: 1, description: 'The name of the first path if left out.' })),
  package_description: Type.Optional(Text(10_000)),
  chunk_size: Type.Optional(ChunkSize),
  priority: Type.Optional(Priority),
}

const Started = Type.Object({ package_id: Id, upload_id: Id })

const chapter = 'Uploads'

export const startUpload = endpoint({
  chapter,
  summary: 'Send files as a Team',
  description: 'Begins at once, in the background. Without recipients the package is reached by links only.',
  method: 'POST',
  path: '/api/v1/uploads',
  credential: 'agent-session',
  body: Type.Object({
    team_id: Id,
    ...sent,
    recipients: Type.Optional(Type.Array(Email, { maxItems: 1_000, uniqueItems: true })),
    password: Type.Optional(Secret),
    delete_after: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 36_500,
        description: 'Days to keep the package; the Team decides if left out.',
      }),
    ),
    download_limit: Type.Optional(Count),
    tag: Type.Optional(TagObject),
    teamspace_id: Type.Optional(Id),
    unlimited_storage: Type.Optional(Type.Boolean()),
  }),
  bodyLimit: 64 * MiB,
  status: 200,
  reply: Started,
  idempotent: true,
  refusals: ['path_not_found', 'team_not_found', 'cloud_unreachable'],
})

const MetadataName = Type.String({ pattern: '^[^\\u0000-\\u001f\\u007f]{1,100}$' })

export const startPortalUpload = endpoint({
  chapter,
  summary: 'Send files to a Portal',
  description: 'Needs no session. `metadata` answers the form of the Portal, by the names of its fields.',
  method: 'POST',
  path: '/api/v1/portals/uploads',
  credential: 'agent',
  body: Type.Object({
    subdomain: Type.String({ minLength: 1, maxLength: 63 }),
    sender_email: Email,
    ...sent,
    access_code: Type.Optional(Secret),
    metadata: Type.Optional(
      Type.Record(MetadataName, Text(10_000), {
        propertyNames: MetadataName,
        additionalProperties: false,
        maxProperties: 200,
      }),
    ),
  }),
  bodyLimit: 64 * MiB,
  status: 200,
  reply: Started,
  idempotent: true,
  refusals: [
    'path_not_found',
    'portal_not_found',
    'portal_inactive',
    'portal_expired',
    'access_code_wrong',
    'form_not_found',
    'form_field_required',
    'rate_limited',
    'cloud_unreachable',
  ],
})

export const createUploadLink = endpoint({
  chapter,
  summary: 'Create a download link for a complete upload',
  method: 'POST',
  path: '/api/v1/uploads/:upload_id/link',
  credential: 'agent-session',
  params: UploadParams,
  body: Type.Object({
    active: Type.Optional(
      Type.Union([Type.Boolean(), Type.Literal('true'), Type.Literal('false')], {
        description: 'Also as the words `true` and `false`.',
      }),
    ),
    access_limit: Type.Optional(Count),
    email: Type.Optional(Email),
    expiry: Type.Optional(Time),
    password: Type.Optional(Secret),
  }),
  bodyOptional: true,
  status: 200,
  reply: Type.Object({
    id: Id,
    secret: Type.String(),
    expiry: Time,
    locked: Type.Boolean(),
    url: Type.String({ description: 'The address to share.' }),
  }),
  idempotent: true,
  refusals: [
    'upload_not_found',
    'upload_not_team',
    'upload_not_complete',
    'package_not_found',
    'package_expired',
    'cloud_unreachable',
  ],
})

export const finalizeUpload = endpoint({
  chapter,
  summary: 'Finalize an upload',
  description: 'Needed only where the agent runs without auto-finalize. Recipients are told.',
  method: 'POST',
  path: '/api/v1/uploads/:upload_id/finalize',
  credential: 'agent',
  params: UploadParams,
  status: 200,
  reply: Done,
  refusals: ['upload_not_found', 'upload_not_idle', 'package_not_found', 'package_expired', 'cloud_unreachable'],
})

export const listUploads = endpoint({
  chapter,
  summary: 'List uploads',
  description: 'The newest first. Ask no more often than every 5 seconds; the events tell sooner.',
  method: 'GET',
  path: '/api/v1/uploads',
  credential: 'agent',
  query: Type.Object({ states: Type.Optional(QueryList(UploadState)), ...PageQuery }),
  status: 200,
  reply: Type.Object({ transfers: Type.Array(ListedUpload), total: Count }),
  refusals: [],
})

export const readUpload = endpoint({
  chapter,
  summary: 'Read an upload with its files',
  method: 'GET',
  path: '/api/v1/uploads/:upload_id',
  credential: 'agent',
  params: UploadParams,
  query: ItemsQuery,
  status: 200,
  reply: Upload,
  refusals: ['upload_not_found'],
})

export const pauseUpload = endpoint({
  chapter,
  summary: 'Pause an upload',
  description: 'Nothing that is up is lost. A paused upload stays paused, also when the agent is started again.',
  method: 'POST',
  path: '/api/v1/uploads/:upload_id/pause',
  credential: 'agent',
  params: UploadParams,
  status: 200,
  reply: Done,
  refusals: ['upload_not_found', 'transfer_not_running'],
})

export const pauseUploads = endpoint({
  chapter,
  summary: 'Pause all uploads',
  method: 'POST',
  path: '/api/v1/uploads/pause',
  credential: 'agent',
  status: 200,
  reply: DoneToMany,
  refusals: [],
})

export const resumeUpload = endpoint({
  chapter,
  summary: 'Resume an upload',
  description: 'One that is paused, or that met a recoverable error.',
  method: 'POST',
  path: '/api/v1/uploads/:upload_id/resume',
  credential: 'agent',
  params: UploadParams,
  status: 200,
  reply: Done,
  refusals: ['upload_not_found', 'transfer_not_resumable'],
})

export const resumeUploads = endpoint({
  chapter,
  summary: 'Resume all uploads',
  method: 'POST',
  path: '/api/v1/uploads/resume',
  credential: 'agent',
  status: 200,
  reply: DoneToMany,
  refusals: [],
})

export const deleteUpload = endpoint({
  chapter,
  summary: 'Delete an upload',
  description:
    'The agent stops and forgets it. A package that is not finalized yet is deleted with it; a complete one stays.',
  method: 'DELETE',
  path: '/api/v1/uploads/:upload_id',
  credential: 'agent',
  params: UploadParams,
  status: 200,
  reply: Done,
  refusals: ['upload_not_found'],
})

export const deleteUploads = endpoint({
  chapter,
  summary: 'Delete all uploads, or those in some states',
  method: 'DELETE',
  path: '/api/v1/uploads',
  credential: 'agent',
  query: Type.Object({ states: Type.Optional(QueryList(UploadState)) }),
  status: 200,
  reply: DoneToMany,
  refusals: [],
})

export const setUploadRank = endpoint({
  chapter,
  summary: 'Move an upload in the queue',
  description: 'Counts in FIFO mode.',
  method: 'POST',
  path: '/api/v1/uploads/:upload_id/fifo_rank',
  credential: 'agent',
  params: UploadParams,
  body: FifoRank,
  status: 200,
  reply: FifoRank,
  refusals: ['upload_not_found', 'transfer_not_queued'],
})
