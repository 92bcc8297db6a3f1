import { stayAwake } from './stay-awake.ts'
import type {
  Entry,
  EntryState,
  GivenFile,
  NewUpload,
  Speed,
  UploadOrder,
  UploadReport,
  UploadState,
} from './upload-messages.ts'

/** An entry with how far it is. */
export interface UploadEntry extends Entry {
  readonly state: EntryState
  readonly sent: number
  readonly fault: string | undefined
}

/** An upload as a page shows it. A new object after each change. */
export interface UploadView {
  readonly state: UploadState
  /** The package, once it was begun or taken up again. */
  readonly packageId: string | undefined
  /** What ended it, where it failed as a whole. */
  readonly fault: string | undefined
  /** What was chosen is still being looked through, and not all of it is in the list yet. */
  readonly looking: boolean
  readonly entries: readonly UploadEntry[]
  readonly files: number
  readonly bytes: number
  readonly sent: number
  readonly done: number
  readonly failed: readonly UploadEntry[]
  readonly missing: number
  readonly speed: Speed
  /** Host of the store while it cannot be reached and the server can. */
  readonly storeAway: string | undefined
}

/** One upload of this page. The work is done in a worker; this is what a page asks and hears. */
export interface Upload {
  readonly view: () => UploadView
  readonly subscribe: (listener: () => void) => () => void
  readonly addFiles: (files: AsyncIterable<GivenFile>) => Promise<void>
  readonly addHandles: (handles: readonly FileSystemHandle[]) => void
  readonly remove: (ns: readonly number[]) => void
  readonly begin: (upload: NewUpload) => void
  readonly recall: (id: string, mayRead: boolean) => void
  readonly goOn: () => void
  readonly pause: () => void
  readonly leaveOut: (ns: readonly number[]) => void
  readonly close: () => void
}

/** The package is closed, gone or too old: nothing can be added to it any more. */
export const endings: ReadonlySet<string> = new Set([
  'package_not_found',
  'package_not_new',
  'package_expired',
  'token_expired',
  'token_revoked',
  'credential_invalid',
])

// Handing over a file asks the disk for its size: few at once, so that the page never stands still.
const filesInAMessage = 20
const longestSliceMs = 8

const nothing: UploadView = {
  state: 'choosing',
  packageId: undefined,
  fault: undefined,
  looking: false,
  entries: [],
  files: 0,
  bytes: 0,
  sent: 0,
  done: 0,
  failed: [],
  missing: 0,
  speed: { bytesPerSecond: 0, secondsLeft: undefined },
  storeAway: undefined,
}

export function openUpload(): Upload {
  const worker = new Worker(new URL('./upload-worker.ts', import.meta.url), { type: 'module' })
  const listeners = new Set<() => void>()
  const awake = stayAwake()
  let view = nothing
  let looks = 0

  const show = (changes: Partial<UploadView>) => {
    view = { ...view, ...changes }
    awake.want(view.state === 'running')
    for (const listener of listeners) listener()
  }
  const order = (what: UploadOrder) => worker.postMessage(what)
  const looking = (by: number) => {
    looks += by
    // Not for each handful of files: the page draws its list for each change.
    if (looks > 0 !== view.looking) show({ looking: looks > 0 })
  }
  /** An order that is answered with how many like it are done. */
  const look = (what: UploadOrder) => {
    looking(1)
    order(what)
  }
  const hurry = () => {
    if (document.visibilityState === 'visible') order({ kind: 'hurry' })
  }

  worker.addEventListener('message', ({ data }: MessageEvent<UploadReport>) => {
    show(after(view, data))
    if (data.kind === 'listed') looking(-data.looked)
  })
  worker.addEventListener('error', () => show({ state: 'failed', fault: 'internal_error' }))
  addEventListener('online', hurry)
  document.addEventListener('visibilitychange', hurry)

  return {
    view: () => view,
    subscribe: (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    addFiles: async (files) => {
      looking(1)
      try {
        for await (const some of handfuls(files)) look({ kind: 'files', files: some })
      } finally {
        // Also where a folder could not be read: what was found before can be sent.
        looking(-1)
      }
    },
    addHandles: (handles) => {
      if (handles.length > 0) look({ kind: 'handles', handles })
    },
    remove: (ns) => order({ kind: 'remove', ns }),
    begin: (upload) => {
      show({ packageId: upload.id })
      order({ kind: 'begin', upload })
    },
    recall: (id, mayRead) => {
      show({ packageId: id })
      look({ kind: 'recall', id, mayRead })
    },
    goOn: () => order({ kind: 'go on' }),
    pause: () => order({ kind: 'pause' }),
    leaveOut: (ns) => order({ kind: 'leave out', ns }),
    close: () => {
      removeEventListener('online', hurry)
      document.removeEventListener('visibilitychange', hurry)
      awake.want(false)
      worker.terminate()
    },
  }
}

async function* handfuls(files: AsyncIterable<GivenFile>): AsyncGenerator<GivenFile[]> {
  let some: GivenFile[] = []
  let since = performance.now()
  for await (const file of files) {
    some.push(file)
    if (some.length < filesInAMessage) continue
    yield some
    some = []
    if (performance.now() - since < longestSliceMs) continue
    await new Promise((resolve) => setTimeout(resolve))
    since = performance.now()
  }
  if (some.length > 0) yield some
}

/** The view after a report of the worker. */
export function after(view: UploadView, report: UploadReport): Partial<UploadView> {
  switch (report.kind) {
    case 'listed':
      return counted(merged(view.entries, report.entries))
    case 'removed': {
      const gone = new Set(report.ns)
      return counted(view.entries.filter(({ n }) => !gone.has(n)))
    }
    case 'state':
      return { state: report.state, fault: report.fault, ...(report.state === 'running' ? again(view) : {}) }
    case 'store':
      return { storeAway: report.away }
    case 'news': {
      if (report.news.length === 0) return { speed: report.speed }
      const news = new Map(report.news.map((one) => [one.n, one]))
      const entries = view.entries.map((entry) => {
        const one = news.get(entry.n)
        if (one === undefined) return entry
        // What was sent before a pause is found again bit by bit; nobody wants to see the bar go back.
        return { ...entry, state: one.state, sent: Math.max(entry.sent, one.bytes), fault: one.fault }
      })
      return { ...counted(entries), speed: report.speed }
    }
  }
}

/** A new run tries again what failed before. */
const again = ({ entries }: UploadView) =>
  counted(
    entries.map((entry) =>
      entry.state === 'failed' || entry.state === 'missing' ? { ...entry, state: 'waiting', fault: undefined } : entry,
    ),
  )

/** What is listed again, because another file came to its place, stays where it stands. */
function merged(before: readonly UploadEntry[], listed: readonly Entry[]): UploadEntry[] {
  const fresh = new Map<number, UploadEntry>()
  for (const entry of listed) fresh.set(entry.n, { ...entry, state: 'waiting', sent: 0, fault: undefined })
  const entries = before.map((entry) => {
    const again = fresh.get(entry.n)
    fresh.delete(entry.n)
    return again ?? entry
  })
  return [...entries, ...fresh.values()]
}

function counted(entries: readonly UploadEntry[]) {
  let [files, bytes, sent, done, missing] = [0, 0, 0, 0, 0]
  const failed: UploadEntry[] = []
  for (const entry of entries) {
    if (entry.kind === 'file') files++
    bytes += entry.size
    sent += Math.min(entry.sent, entry.size)
    if (entry.kind === 'file' && entry.state === 'done') done++
    if (entry.state === 'missing') missing++
    if (entry.state === 'failed') failed.push(entry)
  }
  return { entries, files, bytes, sent, done, missing, failed }
}
