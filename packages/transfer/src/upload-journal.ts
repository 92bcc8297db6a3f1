import { createNumberSet, type NumberSet } from './number-set.ts'
import type { Claim, Journal, NewFile } from './ports.ts'

/**
 * What an upload writes down. There is no note for a finished chunk: storage keeps its own list of those, and asking it
 * is the only way to be right after a crash.
 */
export type UploadNote =
  /** Before the call that adds them, so that the call can be made again, word for word, under its key. */
  | { readonly kind: 'adding'; readonly key: string; readonly files: readonly Adding[] }
  | { readonly kind: 'added'; readonly key: string; readonly files: readonly AddedNote[] }
  /** Before the first chunk is sent. */
  | { readonly kind: 'opened'; readonly n: number; readonly uploadId: string }
  /** Before a chunked file is finalized: the same claim again is always right, whatever came of the first. */
  | { readonly kind: 'claimed'; readonly n: number; readonly claim: Claim }
  | { readonly kind: 'done'; readonly ns: readonly number[] }

export interface Adding {
  readonly n: number
  readonly identity: string
  readonly file: NewFile
}

export interface AddedNote {
  readonly id: string
  readonly chunkSize: number
  readonly chunked: boolean
}

/** One call that added files. */
export interface Batch {
  readonly key: string
  readonly files: readonly Adding[]
  added: readonly AddedNote[] | undefined
}

/** A file that an earlier run left unfinished. */
export interface LeftOpen {
  readonly batch: Batch
  /** Its place in the batch. */
  readonly index: number
  uploadId: string | undefined
  claim: Claim | undefined
}

export interface UploadMemory {
  readonly done: NumberSet
  readonly open: Map<number, LeftOpen>
}

/** Reads the journal of earlier runs. Holds the unfinished files, and one bit for each finished one. */
export async function recallUpload(journal: Journal<UploadNote>): Promise<UploadMemory> {
  const memory: UploadMemory = { done: createNumberSet(), open: new Map() }
  const batches = new Map<string, Batch>()
  for await (const note of journal.load()) recallNote(memory, batches, note)
  return memory
}

function recallNote(memory: UploadMemory, batches: Map<string, Batch>, note: UploadNote): void {
  const { done, open } = memory
  if (note.kind === 'adding') {
    const batch: Batch = { key: note.key, files: note.files, added: undefined }
    batches.set(note.key, batch)
    for (const [index, { n }] of note.files.entries()) {
      open.set(n, { batch, index, uploadId: undefined, claim: undefined })
    }
    return
  }
  if (note.kind === 'added') {
    recallAdded(memory, batches, note)
    return
  }
  if (note.kind === 'done') {
    for (const n of note.ns) finish(memory, n)
    return
  }
  const left = open.get(note.n)
  if (left === undefined || done.has(note.n)) return
  if (note.kind === 'opened') left.uploadId = note.uploadId
  else left.claim = note.claim
}

function recallAdded(
  memory: UploadMemory,
  batches: Map<string, Batch>,
  { key, files }: Extract<UploadNote, { kind: 'added' }>,
): void {
  const left = [...memory.open.values()].filter(({ batch }) => batch.key === key)
  const batch = batches.get(key) ?? left[0]?.batch
  if (batch === undefined) return
  // Under a key that the server had forgotten, the same call made other files of them.
  for (const one of left) {
    if (batch.added !== undefined && batch.added[one.index]?.id !== files[one.index]?.id) {
      one.uploadId = undefined
      one.claim = undefined
    }
  }
  batch.added = files
  // Whoever needs it holds it by now.
  batches.delete(key)
  for (const { n, file } of batch.files) if (file.kind === 'directory') finish(memory, n)
}

function finish({ done, open }: UploadMemory, n: number): void {
  done.add(n)
  open.delete(n)
}
