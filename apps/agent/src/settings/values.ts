import type { DiskConfig, FifoMode, RateLimit, WorkerConfig } from '@longshore/contract/agent/settings'
import type { Static } from 'typebox'

export type DiskRules = Static<typeof DiskConfig>
export type Fifo = Static<typeof FifoMode>
export type Workers = Static<typeof WorkerConfig>
/** A limit as it is set, without what follows from the time of day. */
export type Limit = Omit<Static<typeof RateLimit>, 'active_now' | 'effective_bps'>

export type Way = 'upload' | 'download'

/** Everything that can be set, as it is kept. */
export interface Values {
  readonly disk_default: DiskRules
  /** By the id of the disk. */
  readonly disks: Readonly<Record<string, DiskRules>>
  readonly fifo: Fifo
  readonly workers: Workers
  readonly multiconnect: boolean
  /** Ids of interfaces that are not to be used. */
  readonly interfaces_off: readonly string[]
  /** By `upload` or `download`, and by `upload/eth0` for one interface. */
  readonly limits: Readonly<Record<string, Limit>>
}

export const defaults: Values = {
  disk_default: { priority: 'mixed_read_writes', max_concurrent_readers: 8, max_concurrent_writers: 8 },
  disks: {},
  fifo: { enabled: false, active_upload_count: 1, active_download_count: 1 },
  workers: { upload: 8, download: 8 },
  multiconnect: false,
  interfaces_off: [],
  limits: {},
}

export const noLimit: Limit = { rate_limit_bps: 0, enabled: false, schedule_enabled: false, schedule: {} }
