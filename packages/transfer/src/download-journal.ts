import { createNumberSet, type NumberSet } from './number-set.ts'
import type { Range } from './plan.ts'
import type { Journal } from './ports.ts'

/** What a download writes down. */
export type DownloadNote =
  /** After these bytes were written. As long as the machine stays up, they are there. */
  | {
      readonly kind: 'written'
      readonly n: number
      readonly start: number
      readonly end: number
      readonly boot: string
    }
  /** After these bytes are safely on the disk. */
  | { readonly kind: 'stretch'; readonly n: number; readonly start: number; readonly end: number }
  /** The part file was emptied: what was written before is void. */
  | { readonly kind: 'emptied'; readonly n: number }
  /** Before the file gets its name: one that is found under it afterwards is ours, and whole. */
  | { readonly kind: 'verified'; readonly n: number }
  | { readonly kind: 'done'; readonly n: number }

/** A file that an earlier run left unfinished. */
export interface PartlyWritten {
  stretches: Range[]
  verified: boolean
}

export interface DownloadMemory {
  readonly done: NumberSet
  readonly open: Map<number, PartlyWritten>
}

export async function recallDownload(journal: Journal<DownloadNote>, boot: string): Promise<DownloadMemory> {
  const memory: DownloadMemory = { done: createNumberSet(), open: new Map() }
  for await (const note of journal.load()) if (note.kind !== 'written' || note.boot === boot) recallNote(memory, note)
  return memory
}

function recallNote({ done, open }: DownloadMemory, note: DownloadNote): void {
  if (note.kind === 'done') {
    done.add(note.n)
    open.delete(note.n)
    return
  }
  if (note.kind === 'emptied') {
    open.delete(note.n)
    return
  }
  const left = open.get(note.n) ?? { stretches: [], verified: false }
  open.set(note.n, left)
  if (note.kind === 'verified') left.verified = true
  else left.stretches.push({ start: note.start, end: note.end })
}
