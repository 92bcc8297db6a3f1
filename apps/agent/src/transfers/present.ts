import type { ListedDownload } from '@longshore/contract/agent/downloads'
import type { Item } from '@longshore/contract/agent/shapes'
import type { ListedUpload } from '@longshore/contract/agent/uploads'
import type { Static } from 'typebox'
import type { ItemRow } from '#state/items'
import type { TransferRow } from '#state/transfers'
import type { Pace } from './book.ts'
import type { ShownError } from './errors.ts'
import { downloadPlan } from './plans.ts'

export interface Standing {
  /** Place in the queue, -1 for none. */
  readonly rank: number
  /** True while others go first. */
  readonly queued: boolean
  /** Of a transfer that is under way. */
  readonly pace: Pace | undefined
}

const shared = (row: TransferRow, { rank, queued, pace }: Standing) => ({
  package_id: row.package_id,
  name: row.name,
  package_name: row.name,
  progress: Math.min(row.size, Math.max(row.progress, pace?.bytes ?? 0)),
  size: row.size,
  total_files: row.total_files,
  files_done: row.files_done,
  priority: row.priority,
  fifo_rank: rank,
  queued,
  rate_bps: Math.round((pace?.bytesPerSecond ?? 0) * 8),
  eta_seconds: pace?.secondsLeft(row.size) ?? null,
  created_at: row.created_at,
  updated_at: row.updated_at,
  ...(row.error === null ? {} : { error: JSON.parse(row.error) as ShownError }),
})

export function presentUpload(row: TransferRow, standing: Standing): Static<typeof ListedUpload> {
  const type = row.type === 'link' ? 'team' : row.type
  return { upload_id: row.id, ...shared(row, standing), state: row.state, type }
}

export function presentDownload(row: TransferRow, standing: Standing): Static<typeof ListedDownload> {
  // A download closes nothing and is never idle.
  const state = row.state === 'idle' ? 'complete' : row.state
  return { download_id: row.id, ...shared(row, standing), state, dst_folder: downloadPlan(row).folder }
}

export const presentItem = ({ n, name, path, size, progress, state, error }: ItemRow): Static<typeof Item> => ({
  id: n,
  name,
  path,
  size,
  progress,
  state,
  ...(error === null ? {} : { error: JSON.parse(error) as ShownError }),
})
