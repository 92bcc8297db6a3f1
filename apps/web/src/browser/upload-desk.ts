import { createClient } from '@longshore/client/client'
import { packageCalls } from '@longshore/client/package-calls'
import { judge } from '@longshore/transfer/faults'
import { recallUpload } from '@longshore/transfer/upload-journal'
import { holdUpload } from './hold-upload.ts'
import { type KeptUpload, keepUpload, keptSources, keptUpload, uploadJournal } from './kept-uploads.ts'
import { placeOf } from './places.ts'
import { createSelection } from './selection.ts'
import type { Chosen } from './sources.ts'
import type { Entry, GivenFile, NewUpload, UploadOrder, UploadReport } from './upload-messages.ts'
import { createUploadRuns } from './upload-runs.ts'
import { walkHandle } from './walk-handles.ts'

const entriesInAReport = 500
const listEveryMs = 100

/** Everything that the upload worker does: takes orders of the page, and reports to it. */
export function createUploadDesk(report: (report: UploadReport) => void): (order: UploadOrder) => void {
  const client = createClient({ baseUrl: location.origin })
  const selection = createSelection()
  const roots: FileSystemHandle[] = []
  const done = new Set<number>()
  let upload: KeptUpload | undefined
  const runs = createUploadRuns({ client, selection, done, report })

  // What changes the selection is done in the order in which it was asked for.
  let line: Promise<void> = Promise.resolve()
  const inLine = (work: () => Promise<void>) => {
    line = line.then(work).catch((error: unknown) => {
      report({ kind: 'state', state: 'failed', fault: judge(error).code })
    })
  }

  // Many files come in many orders; the page draws its list anew for each report.
  let unlisted: Entry[] = []
  let looked = 0
  let timer: ReturnType<typeof setTimeout> | undefined
  const list = () => {
    clearTimeout(timer)
    timer = undefined
    if (unlisted.length > 0 || looked > 0) report({ kind: 'listed', entries: unlisted, looked })
    unlisted = []
    looked = 0
  }
  const listSoon = () => {
    timer ??= setTimeout(list, listEveryMs)
  }
  const listed = (entry: Entry) => {
    unlisted.push(entry)
    if (unlisted.length >= entriesInAReport) list()
    else listSoon()
  }
  /** Does an order to look at something, and tells when all that it found is listed. */
  const look = (work: () => Promise<void>) =>
    inLine(async () => {
      try {
        await work()
      } finally {
        looked++
        listSoon()
      }
    })

  /** Before an upload has begun files are added; afterwards those that it knows are recognised. */
  const take = async (all: AsyncIterable<Chosen> | Iterable<Chosen>) => {
    for await (const chosen of all) {
      if (upload === undefined) listed(entryOf(selection.add(chosen), chosen))
      else selection.match(chosen)
    }
  }

  const takeHandles = async (handles: readonly FileSystemHandle[]) => {
    for (const handle of handles) await take(walkHandle(handle))
    if (upload === undefined) roots.push(...handles)
  }

  const unread = () =>
    [...selection.entries()]
      .filter(([n, { kind, file }]) => kind === 'file' && file === undefined && !done.has(n))
      .map(([n]) => n)

  /** Goes on, if nothing is missing. What still is after somebody chose is not among what they chose, or has changed. */
  const goOn = (chosen = false) => {
    if (upload === undefined) return
    const missing = unread()
    if (missing.length === 0) {
      runs.start(upload)
      return
    }
    const news = missing.map((n) => ({ n, state: 'missing', bytes: 0 }) as const)
    report({ kind: 'news', news, speed: { bytesPerSecond: 0, secondsLeft: undefined } })
    report({ kind: 'state', state: 'missing files', ...(chosen ? { fault: 'not_the_same' } : {}) })
  }

  const begin = async (wanted: NewUpload) => {
    list()
    const chosen = [...selection.entries()]
    const bytes = chosen.reduce((sum, [, { size }]) => sum + size, 0)
    upload = { ...wanted, roots, startedAt: Date.now(), files: chosen.length, bytes }
    await keepUpload(upload, chosen.map(keptOf))
    if (await holdUpload(upload.id)) runs.start(upload)
  }

  const recall = async (id: string, mayRead: boolean) => {
    const kept = await keptUpload(id)
    if (kept === undefined || !(await holdUpload(id))) {
      report({ kind: 'state', state: 'elsewhere' })
      return
    }
    upload = kept
    const memory = await recallUpload(uploadJournal(id))
    const sources = await keptSources(id)
    for (const { n, ...chosen } of sources) selection.restore(n, chosen)
    for (const { n } of sources) if (memory.done.has(n)) done.add(n)
    for (const { n, ...chosen } of sources) listed(entryOf(n, chosen))
    list()
    const finished = sources
      .filter(({ n }) => done.has(n))
      .map(({ n, size }) => ({ n, state: 'done', bytes: size }) as const)
    report({ kind: 'news', news: finished, speed: { bytesPerSecond: 0, secondsLeft: undefined } })
    if (mayRead) await takeHandles(kept.roots)
    goOn()
  }

  /** What storage has of them goes too: an unfinished file would keep the package from being closed. */
  const leaveOut = async ({ id, token }: KeptUpload, ns: readonly number[]) => {
    await runs.pause()
    const { signal } = new AbortController()
    const calls = packageCalls(client, id, token)
    const places = new Set(
      ns
        .map((n) => selection.get(n))
        .filter((chosen) => chosen !== undefined)
        .map(placeOf),
    )
    for (const file of await calls.listFiles(signal)) {
      if (file.state !== 'finalized' && places.has(placeOf(file))) await calls.removeFile(file.id, signal)
    }
    remove(ns)
    goOn()
  }

  const remove = (ns: readonly number[]) => {
    list()
    for (const n of ns) selection.remove(n)
    report({ kind: 'removed', ns })
  }

  return (order) => {
    switch (order.kind) {
      case 'files':
        look(async () => {
          await take(order.files.map(chosenOf))
          if (upload !== undefined) goOn(true)
        })
        break
      case 'handles':
        look(async () => {
          await takeHandles(order.handles)
          if (upload !== undefined) goOn(true)
        })
        break
      case 'remove':
        inLine(async () => remove(order.ns))
        break
      case 'begin':
        inLine(() => begin(order.upload))
        break
      case 'recall':
        look(() => recall(order.id, order.mayRead))
        break
      case 'leave out':
        inLine(async () => {
          if (upload !== undefined) await leaveOut(upload, order.ns)
        })
        break
      case 'go on':
        inLine(async () => goOn())
        break
      case 'pause':
        void runs.pause()
        break
      case 'hurry':
        void runs.hurry()
        break
    }
  }
}

const entryOf = (n: number, { kind, name, path, size }: Omit<Chosen, 'file' | 'handle'>): Entry => ({
  n,
  kind,
  name,
  path,
  size,
})

const keptOf = ([n, { kind, name, path, size, lastModified }]: [number, Chosen]) => ({
  n,
  kind,
  name,
  path,
  size,
  lastModified,
})

const chosenOf = ({ file, path }: GivenFile): Chosen => {
  const { name, size, lastModified } = file
  return { kind: 'file', name, path, size, lastModified, file }
}
