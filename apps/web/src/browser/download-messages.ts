import type { ArchiveKind, Contents } from './contents.ts'
import type { Speed } from './upload-messages.ts'

/** What page and download worker say to each other. */

export interface OpenPackage {
  readonly id: string
  readonly token: string
}

export type DownloadOrder =
  | { readonly kind: 'open'; readonly package: OpenPackage }
  | { readonly kind: 'save'; readonly folder: FileSystemDirectoryHandle; readonly rows: readonly number[] }
  | { readonly kind: 'pause' }
  | { readonly kind: 'go on' }

export interface Archive {
  readonly kind: ArchiveKind
  readonly id: string
}

export type SavingState = 'running' | 'paused' | 'failed' | 'complete'

export interface Saving {
  readonly state: SavingState
  readonly files: number
  readonly done: number
  readonly bytes: number
  readonly saved: number
  /** Files that could not be saved, with the name of the error. */
  readonly failed: readonly { readonly row: number; readonly fault: string }[]
  readonly fault: string | undefined
  readonly speed: Speed
  /** Host of the store while it cannot be reached and the server can. */
  readonly storeAway: string | undefined
}

export type DownloadReport =
  | { readonly kind: 'contents'; readonly contents: Contents; readonly archives: readonly Archive[] }
  | { readonly kind: 'refused'; readonly error: string }
  | { readonly kind: 'saving'; readonly saving: Saving }
