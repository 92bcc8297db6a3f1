import { Type } from 'typebox'
import { endpoint } from '#endpoint'
import { Id, Word } from '#shapes'
import { ListedDownload } from './downloads.ts'
import { ListedUpload } from './uploads.ts'

const kinds = ['upload', 'download'] as const

/** Data of `transfer.changed` (began, another state or place in the queue) and of `transfer.progress`. */
export const TransferEvent = Type.Union([
  Type.Object({ kind: Type.Literal('upload'), transfer: ListedUpload }),
  Type.Object({ kind: Type.Literal('download'), transfer: ListedDownload }),
])

/** Data of `transfer.removed`. */
export const TransferRemoved = Type.Object({ kind: Word(kinds), id: Id })

export const followTransfers = endpoint({
  chapter: 'Events',
  summary: 'Follow the transfers',
  description:
    'Server-sent events: `transfer.changed`, `transfer.progress` (at most once a second a transfer) and `transfer.removed`. After a break, Last-Event-ID goes on where the stream stopped; where that is too long ago, every transfer is told anew.',
  method: 'GET',
  path: '/api/v1/events',
  credential: 'agent',
  status: 200,
  replyType: 'text/event-stream',
  refusals: [],
})
