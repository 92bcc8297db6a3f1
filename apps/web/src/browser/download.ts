import type { Contents } from './contents.ts'
import type { Archive, DownloadOrder, DownloadReport, OpenPackage, Saving } from './download-messages.ts'
import { stayAwake } from './stay-awake.ts'

/** A package as a download page shows it. A new object after each change. */
export interface DownloadView {
  /** Undefined until the list is here. */
  readonly contents: Contents | undefined
  readonly archives: readonly Archive[]
  /** Name of the error that the last order was refused with. */
  readonly refused: string | undefined
  readonly saving: Saving | undefined
}

export interface Download {
  readonly view: () => DownloadView
  readonly subscribe: (listener: () => void) => () => void
  readonly open: (wanted: OpenPackage) => void
  readonly save: (folder: FileSystemDirectoryHandle, rows: readonly number[]) => void
  readonly pause: () => void
  readonly goOn: () => void
  readonly close: () => void
}

/** One package on this page. Listing and saving are done in a worker. */
export function openDownload(): Download {
  const worker = new Worker(new URL('./download-worker.ts', import.meta.url), { type: 'module' })
  const listeners = new Set<() => void>()
  const awake = stayAwake()
  let view: DownloadView = { contents: undefined, archives: [], refused: undefined, saving: undefined }

  worker.addEventListener('message', ({ data }: MessageEvent<DownloadReport>) => {
    view = { ...view, ...after(data) }
    awake.want(view.saving?.state === 'running')
    for (const listener of listeners) listener()
  })
  const order = (what: DownloadOrder) => worker.postMessage(what)

  return {
    view: () => view,
    subscribe: (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    open: (wanted) => order({ kind: 'open', package: wanted }),
    save: (folder, rows) => order({ kind: 'save', folder, rows }),
    pause: () => order({ kind: 'pause' }),
    goOn: () => order({ kind: 'go on' }),
    close: () => {
      awake.want(false)
      worker.terminate()
    },
  }
}

function after(report: DownloadReport): Partial<DownloadView> {
  switch (report.kind) {
    case 'contents':
      return { contents: report.contents, archives: report.archives, refused: undefined }
    case 'refused':
      return { refused: report.error }
    case 'saving':
      return { saving: report.saving, refused: undefined }
  }
}
