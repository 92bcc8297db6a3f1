import { Type } from 'typebox'
import { endpoint } from '#endpoint'
import { Count, Word } from '#shapes'

const settings = { chapter: 'Settings', credential: 'agent', status: 200 } as const

// Disks

export const DiskConfig = Type.Object({
  priority: Word(['mixed_read_writes', 'prioritize_writes', 'prioritize_reads'], {
    description: 'Reads and writes at once, or the one kind waiting for the other.',
  }),
  max_concurrent_readers: Type.Integer({ minimum: 1, maximum: 1_024 }),
  max_concurrent_writers: Type.Integer({ minimum: 1, maximum: 1_024 }),
})

const DiskId = Type.String({ pattern: '^[^\\u0000-\\u001f\\u007f]{1,255}$' })

const DiskConfigs = Type.Record(DiskId, DiskConfig, {
  propertyNames: DiskId,
  additionalProperties: false,
  maxProperties: 1_000,
  description: 'By the id of the disk. One that is not known yet is kept for when it is.',
})

export const DiskStatus = Type.Object({
  disk_id: Type.String(),
  active_read_jobs: Count,
  active_write_jobs: Count,
  ...DiskConfig.properties,
})

export const readDiskDefault = endpoint({
  ...settings,
  summary: 'How disks are used that have no configuration of their own',
  method: 'GET',
  path: '/api/v1/settings/disk_config_default',
  reply: DiskConfig,
  refusals: [],
})

export const setDiskDefault = endpoint({
  ...settings,
  summary: 'Set how disks are used that have no configuration of their own',
  method: 'POST',
  path: '/api/v1/settings/disk_config_default',
  body: DiskConfig,
  reply: DiskConfig,
  refusals: [],
})

export const diskStatus = endpoint({
  ...settings,
  summary: 'All disks with their configuration and what they do',
  method: 'GET',
  path: '/api/v1/settings/disk_status',
  reply: Type.Array(DiskStatus),
  refusals: [],
})

export const setDiskConfigs = endpoint({
  ...settings,
  summary: 'Set how single disks are used',
  description: 'Disks that are left out stay as they are.',
  method: 'POST',
  path: '/api/v1/settings/disk_config',
  body: DiskConfigs,
  reply: DiskConfigs,
  refusals: [],
})

// Queue and workers

export const FifoMode = Type.Object({
  enabled: Type.Boolean(),
  active_upload_count: Type.Integer({ minimum: 1, maximum: 1_000 }),
  active_download_count: Type.Integer({ minimum: 1, maximum: 1_000 }),
})

export const readFifoMode = endpoint({
  ...settings,
  summary: 'Whether transfers wait for each other',
  method: 'GET',
  path: '/api/v1/settings/fifo_mode',
  reply: FifoMode,
  refusals: [],
})

export const setFifoMode = endpoint({
  ...settings,
  summary: 'Let only so many transfers go at a time',
  description: 'The front of the queue goes first, however the priorities are.',
  method: 'POST',
  path: '/api/v1/settings/fifo_mode',
  body: FifoMode,
  reply: FifoMode,
  refusals: [],
})

export const WorkerConfig = Type.Object({
  upload: Type.Integer({ minimum: 1, maximum: 256 }),
  download: Type.Integer({ minimum: 1, maximum: 256 }),
})

export const readWorkers = endpoint({
  ...settings,
  summary: 'How many requests may be under way at once',
  method: 'GET',
  path: '/api/v1/settings/worker_config',
  reply: WorkerConfig,
  refusals: [],
})

export const setWorkers = endpoint({
  ...settings,
  summary: 'Set how many requests may be under way at once',
  method: 'POST',
  path: '/api/v1/settings/worker_config',
  body: WorkerConfig,
  reply: WorkerConfig,
  refusals: [],
})

// Network interfaces

export const Interface = Type.Object({
  id: Type.String(),
  name: Type.String(),
  addresses: Type.Array(Type.String()),
  enabled: Type.Boolean(),
  active_chunks: Count,
  tx_bps: Type.Integer({ minimum: 0 }),
  rx_bps: Type.Integer({ minimum: 0 }),
})

export const Multiconnect = Type.Object({ enabled: Type.Boolean(), interfaces: Type.Array(Interface) })

const InterfaceParams = Type.Object({ iface_id: Type.String({ minLength: 1, maxLength: 255 }) })
const Enabled = Type.Object({ enabled: Type.Boolean() })

export const multiconnectStatus = endpoint({
  ...settings,
  summary: 'Network interfaces and what goes over them',
  method: 'GET',
  path: '/api/v1/settings/multiconnect/status',
  reply: Multiconnect,
  refusals: [],
})

export const setMulticonnect = endpoint({
  ...settings,
  summary: 'Use several network interfaces at once, or not',
  method: 'POST',
  path: '/api/v1/settings/multiconnect',
  body: Enabled,
  reply: Multiconnect,
  refusals: [],
})

export const setInterface = endpoint({
  ...settings,
  summary: 'Use one network interface, or not',
  method: 'POST',
  path: '/api/v1/settings/multiconnect/ifaces/:iface_id',
  params: InterfaceParams,
  body: Enabled,
  reply: Interface,
  refusals: ['interface_not_found'],
})

// Rate limits

const TimeOfDay = Type.String({
  pattern: '^(?:[01][0-9]|2[0-3]):[0-5][0-9]$',
  description: '`HH:MM`, local time of the host.',
})
const Hours = Type.Optional(Type.Object({ enabled: Type.Boolean(), start: TimeOfDay, end: TimeOfDay }))

const Schedule = Type.Object(
  { mon: Hours, tue: Hours, wed: Hours, thu: Hours, fri: Hours, sat: Hours, sun: Hours },
  {
    description:
      'A day that is missing is off. `start` equal to `end` is the whole day; an earlier `end` is one of the next day.',
  },
)

const limit = {
  rate_limit_bps: Type.Integer({
    minimum: 0,
    maximum: Number.MAX_SAFE_INTEGER,
    description: 'Bits per second; more than 0 where enabled.',
  }),
  enabled: Type.Boolean(),
}

const NewRateLimit = Type.Object({
  ...limit,
  schedule_enabled: Type.Optional(Type.Boolean()),
  schedule: Type.Optional(Schedule),
})

export const RateLimit = Type.Object({
  ...limit,
  schedule_enabled: Type.Boolean(),
  schedule: Schedule,
  active_now: Type.Boolean(),
  effective_bps: Type.Union([Type.Integer({ minimum: 0 }), Type.Null()], { description: 'Null for no limit.' }),
})

const reads = { ...settings, method: 'GET', reply: RateLimit } as const
const sets = { ...settings, method: 'POST', body: NewRateLimit, reply: RateLimit } as const

export const readUploadLimit = endpoint({
  ...reads,
  summary: 'Limit of all uploads together',
  path: '/api/v1/settings/upload_rate_limit',
  refusals: [],
})

export const setUploadLimit = endpoint({
  ...sets,
  summary: 'Set the limit of all uploads together',
  description: 'Holds while multiconnect is off. In force at once, also for transfers under way.',
  path: '/api/v1/settings/upload_rate_limit',
  refusals: [],
})

export const readDownloadLimit = endpoint({
  ...reads,
  summary: 'Limit of all downloads together',
  path: '/api/v1/settings/download_rate_limit',
  refusals: [],
})

export const setDownloadLimit = endpoint({
  ...sets,
  summary: 'Set the limit of all downloads together',
  description: 'Holds while multiconnect is off. In force at once, also for transfers under way.',
  path: '/api/v1/settings/download_rate_limit',
  refusals: [],
})

export const readInterfaceUploadLimit = endpoint({
  ...reads,
  summary: 'Limit of uploads over one interface',
  path: '/api/v1/settings/upload_rate_limit/:iface_id',
  params: InterfaceParams,
  refusals: ['interface_not_found'],
})

export const setInterfaceUploadLimit = endpoint({
  ...sets,
  summary: 'Set the limit of uploads over one interface',
  description: 'Holds while multiconnect is on.',
  path: '/api/v1/settings/upload_rate_limit/:iface_id',
  params: InterfaceParams,
  refusals: ['interface_not_found'],
})

export const readInterfaceDownloadLimit = endpoint({
  ...reads,
  summary: 'Limit of downloads over one interface',
  path: '/api/v1/settings/download_rate_limit/:iface_id',
  params: InterfaceParams,
  refusals: ['interface_not_found'],
})

export const setInterfaceDownloadLimit = endpoint({
  ...sets,
  summary: 'Set the limit of downloads over one interface',
  description: 'Holds while multiconnect is on.',
  path: '/api/v1/settings/download_rate_limit/:iface_id',
  params: InterfaceParams,
  refusals: ['interface_not_found'],
})
