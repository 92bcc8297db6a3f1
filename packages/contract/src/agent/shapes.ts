import { Type } from 'typebox'
import { Bytes, Count, Id, Line, QueryList, Time, Word } from '#shapes'

/** Schemas that several endpoints of the agent share. */

export const Done = Type.Object({ code: Type.Literal(200) })

export const DoneToMany = Type.Object({
  code: Type.Literal(200),
  affected: Type.Integer({ minimum: 0, description: 'How many it did something to.' }),
})

/** A path on the host of the agent, in the host's own manner. */
export const HostPath = Line(4_096, { minLength: 1, description: 'Absolute path on the host of the agent.' })

export const Priority = Type.Integer({
  minimum: -1_000_000,
  maximum: 1_000_000,
  description: 'The higher goes first; 0 if left out.',
})

export const TransferError = Type.Object({
  code: Type.Integer(),
  error: Type.String({ description: 'Stable name of the error.' }),
  message: Type.String({ description: 'What happened and what to do.' }),
  recoverable: Type.Boolean({ description: 'True where resuming can help.' }),
})

const ItemState = Word(['pending', 'transferring', 'complete', 'error', 'skipped'])

export const Item = Type.Object({
  id: Type.Integer({ minimum: 0, description: 'Number of the entry in this transfer.' }),
  name: Type.String(),
  path: Type.String({ description: 'Folder inside the package; empty for its root.' }),
  size: Bytes,
  progress: Bytes,
  state: ItemState,
  error: Type.Optional(TransferError),
})

/** What uploads and downloads have in common. */
export const transferFields = {
  package_id: Type.String(),
  name: Type.String(),
  package_name: Type.String({ description: 'The same as name.' }),
  progress: Type.Integer({ minimum: 0, description: 'Bytes moved.' }),
  size: Bytes,
  total_files: Count,
  files_done: Count,
  priority: Priority,
  fifo_rank: Type.Integer({ minimum: -1, description: 'Place in the queue, 0 is its front; -1 once it is over.' }),
  queued: Type.Boolean({ description: 'True while FIFO mode lets others go first.' }),
  rate_bps: Type.Integer({ minimum: 0, description: 'Bits per second.' }),
  eta_seconds: Type.Union([Type.Integer({ minimum: 0 }), Type.Null()]),
  created_at: Time,
  updated_at: Time,
  error: Type.Optional(TransferError),
}

export const itemFields = {
  items: Type.Array(Item),
  items_total: Type.Integer({ minimum: 0, description: 'Of the states that were asked for.' }),
}

export const ItemsQuery = Type.Object({
  items_offset: Type.Optional(Type.Integer({ minimum: 0, maximum: 2_147_483_647 })),
  items_limit: Type.Optional(Type.Integer({ minimum: 0, maximum: 1_000, description: '1,000 if left out.' })),
  items_states: Type.Optional(QueryList(ItemState)),
})

export const PageQuery = {
  offset: Type.Optional(Type.Integer({ minimum: 0, maximum: 2_147_483_647 })),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000, description: 'All if left out.' })),
}

export const FifoRank = Type.Object({
  fifo_rank: Type.Integer({
    minimum: 0,
    maximum: 2_147_483_647,
    description: 'New place in the queue; 0 is its front.',
  }),
})

export const UploadParams = Type.Object({ upload_id: Id })
export const DownloadParams = Type.Object({ download_id: Id })
