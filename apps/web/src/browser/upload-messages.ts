import type { Place } from './places.ts'

/** What page and upload worker say to each other. */

/** An entry of the list, as the page shows it. */
export interface Entry extends Place {
  readonly n: number
  readonly kind: 'file' | 'directory'
  readonly size: number
}

/** A file as an input or a drop gave it, at its place. */
export interface GivenFile {
  readonly file: File
  readonly path: string
}

export interface NewUpload {
  /** The package. */
  readonly id: string
  readonly token: string
  readonly place: string
  readonly name: string
  readonly more: Readonly<Record<string, string>>
}

export type UploadOrder =
  | { readonly kind: 'files'; readonly files: readonly GivenFile[] }
  | { readonly kind: 'handles'; readonly handles: readonly FileSystemHandle[] }
  | { readonly kind: 'remove'; readonly ns: readonly number[] }
  | { readonly kind: 'begin'; readonly upload: NewUpload }
  /** Takes up an upload of an earlier visit, by what it was chosen from where that can be read. */
  | { readonly kind: 'recall'; readonly id: string; readonly mayRead: boolean }
  | { readonly kind: 'go on' }
  | { readonly kind: 'pause' }
  /** Takes files out of the package that cannot be sent, and sends the rest. */
  | { readonly kind: 'leave out'; readonly ns: readonly number[] }
  /** The network or the page came back: no reason to wait any longer. */
  | { readonly kind: 'hurry' }

export type EntryState = 'waiting' | 'moving' | 'done' | 'failed' | 'missing'

export interface EntryNews {
  readonly n: number
  readonly state: EntryState
  readonly bytes: number
  /** Name of the error that kept it out. */
  readonly fault?: string
}

export type UploadState = 'choosing' | 'missing files' | 'running' | 'paused' | 'failed' | 'complete' | 'elsewhere'

export interface Speed {
  readonly bytesPerSecond: number
  readonly secondsLeft: number | undefined
}

export type UploadReport =
  /** Entries that are new, and how many orders to look at something are done with that. */
  | { readonly kind: 'listed'; readonly entries: readonly Entry[]; readonly looked: number }
  | { readonly kind: 'removed'; readonly ns: readonly number[] }
  | { readonly kind: 'news'; readonly news: readonly EntryNews[]; readonly speed: Speed }
  | { readonly kind: 'state'; readonly state: UploadState; readonly fault?: string }
  /** Host of the store while it cannot be reached and the server can. */
  | { readonly kind: 'store'; readonly away: string | undefined }
