import { Type } from 'typebox'
import { endpoint } from '#endpoint'
import { Count, Id, QueryList, Secret, Word } from '#shapes'
import {
  DownloadParams,
  Done,
  DoneToMany,
  FifoRank,
  HostPath,
  ItemsQuery,
  itemFields,
  PageQuery,
  Priority,
  transferFields,
} from './shapes.ts'

export const downloadStates = ['transferring', 'paused', 'complete', 'error'] as const
export const DownloadState = Word(downloadStates)

const downloadFields = {
  download_id: Id,
  ...transferFields,
  state: DownloadState,
  dst_folder: Type.String({ description: 'Where the files go; with the folder of the package where it gets one.' }),
}

/** A download as lists and events show it. */
export const ListedDownload = Type.Object(downloadFields)

export const Download = Type.Object({ ...downloadFields, ...itemFields })

const chapter = 'Downloads'

export const startDownload = endpoint({
  chapter,
  summary: 'Fetch the package of a link',
  description:
    'Begins at once, in the background. Every file is checked against the signed waybill before it gets its name.',
  method: 'POST',
  path: '/api/v1/downloads',
  credential: 'agent',
  body: Type.Object({
    url: Type.String({ minLength: 1, maxLength: 4_096, description: 'The link as it was shared, with its secret.' }),
    dst_folder: HostPath,
    password: Type.Optional(Secret),
    create_package_folder: Type.Optional(
      Type.Boolean({ description: 'A folder named after the package; true if left out.' }),
    ),
    file_ids: Type.Optional(
      Type.Array(Id, { minItems: 1, maxItems: 100_000, description: 'Only these; all if left out.' }),
    ),
    priority: Type.Optional(Priority),
    on_conflict: Type.Optional(
      Word(['rename', 'skip', 'overwrite'], {
        description: 'What to do where a file of the name is there already; `rename` if left out.',
      }),
    ),
  }),
  bodyLimit: 8 * 1024 * 1024,
  status: 200,
  reply: Type.Object({ download_id: Id }),
  idempotent: true,
  refusals: [
    'download_url_invalid',
    'destination_refused',
    'link_not_found',
    'link_password_required',
    'link_password_wrong',
    'link_locked',
    'link_inactive',
    'package_expired',
    'file_not_found',
    'content_mismatch',
    'rate_limited',
    'cloud_unreachable',
  ],
})

export const listDownloads = endpoint({
  chapter,
  summary: 'List downloads',
  description: 'The newest first.',
  method: 'GET',
  path: '/api/v1/downloads',
  credential: 'agent',
  query: Type.Object({ states: Type.Optional(QueryList(DownloadState)), ...PageQuery }),
  status: 200,
  reply: Type.Object({ transfers: Type.Array(ListedDownload), total: Count }),
  refusals: [],
})

export const readDownload = endpoint({
  chapter,
  summary: 'Read a download with its files',
  method: 'GET',
  path: '/api/v1/downloads/:download_id',
  credential: 'agent',
  params: DownloadParams,
  query: ItemsQuery,
  status: 200,
  reply: Download,
  refusals: ['download_not_found'],
})

export const pauseDownload = endpoint({
  chapter,
  summary: 'Pause a download',
  method: 'POST',
  path: '/api/v1/downloads/:download_id/pause',
  credential: 'agent',
  params: DownloadParams,
  status: 200,
  reply: Done,
  refusals: ['download_not_found', 'transfer_not_running'],
})

export const pauseDownloads = endpoint({
  chapter,
  summary: 'Pause all downloads',
  method: 'POST',
  path: '/api/v1/downloads/pause',
  credential: 'agent',
  status: 200,
  reply: DoneToMany,
  refusals: [],
})

export const resumeDownload = endpoint({
  chapter,
  summary: 'Resume a download',
  method: 'POST',
  path: '/api/v1/downloads/:download_id/resume',
  credential: 'agent',
  params: DownloadParams,
  status: 200,
  reply: Done,
  refusals: ['download_not_found', 'transfer_not_resumable'],
})

export const resumeDownloads = endpoint({
  chapter,
  summary: 'Resume all downloads',
  method: 'POST',
  path: '/api/v1/downloads/resume',
  credential: 'agent',
  status: 200,
  reply: DoneToMany,
  refusals: [],
})

export const deleteDownload = endpoint({
  chapter,
  summary: 'Delete a download',
  description: 'The agent stops and forgets it and removes its part files. Finished files stay.',
  method: 'DELETE',
  path: '/api/v1/downloads/:download_id',
  credential: 'agent',
  params: DownloadParams,
  status: 200,
  reply: Done,
  refusals: ['download_not_found'],
})

export const deleteDownloads = endpoint({
  chapter,
  summary: 'Delete all downloads, or those in some states',
  method: 'DELETE',
  path: '/api/v1/downloads',
  credential: 'agent',
  query: Type.Object({ states: Type.Optional(QueryList(DownloadState)) }),
  status: 200,
  reply: DoneToMany,
  refusals: [],
})

export const setDownloadRank = endpoint({
  chapter,
  summary: 'Move a download in the queue',
  description: 'Counts in FIFO mode.',
  method: 'POST',
  path: '/api/v1/downloads/:download_id/fifo_rank',
  credential: 'agent',
  params: DownloadParams,
  body: FifoRank,
  status: 200,
  reply: FifoRank,
  refusals: ['download_not_found', 'transfer_not_queued'],
})
