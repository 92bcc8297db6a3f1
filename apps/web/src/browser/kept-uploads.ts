import type { Journal } from '@longshore/transfer/ports'
import type { UploadNote } from '@longshore/transfer/upload-journal'
import { type DBSchema, type IDBPDatabase, openDB } from 'idb'
import type { Chosen } from './sources.ts'

/** An upload as this browser remembers it, until it is complete or given up. */
export interface KeptUpload {
  /** The package. */
  readonly id: string
  readonly token: string
  /** The page that it was begun on, so that another page does not offer to go on with it. */
  readonly place: string
  readonly name: string
  readonly startedAt: number
  readonly files: number
  readonly bytes: number
  /** Files and folders that the browser can open again, once it is allowed to. */
  readonly roots: readonly FileSystemHandle[]
  /** Whatever the page wants to know again: shown, never sent. */
  readonly more: Readonly<Record<string, string>>
}

/** A chosen file without what it can be read by. */
export type KeptSource = Omit<Chosen, 'file' | 'handle'> & { readonly n: number }

interface Kept extends DBSchema {
  uploads: { key: string; value: KeptUpload }
  /** Many sources a record: ten thousand records would take seconds. */
  sources: { key: [string, number]; value: readonly KeptSource[] }
  notes: {
    key: number
    value: { readonly upload: string; readonly notes: readonly UploadNote[] }
    indexes: { upload: string }
  }
}

let opening: Promise<IDBPDatabase<Kept>> | undefined

const database = () =>
  (opening ??= openDB<Kept>('longshore-uploads', 1, {
    upgrade: (db) => {
      db.createObjectStore('uploads', { keyPath: 'id' })
      db.createObjectStore('sources')
      db.createObjectStore('notes', { autoIncrement: true }).createIndex('upload', 'upload')
    },
  }))

const durable = { durability: 'strict' } as const

const sourcesInARecord = 500

/** Writes down an upload and its files, before the first byte is sent. */
export async function keepUpload(upload: KeptUpload, sources: readonly KeptSource[]): Promise<void> {
  const tx = (await database()).transaction(['uploads', 'sources'], 'readwrite', durable)
  void tx.objectStore('uploads').put(upload)
  for (let at = 0; at < sources.length; at += sourcesInARecord) {
    void tx.objectStore('sources').put(sources.slice(at, at + sourcesInARecord), [upload.id, at])
  }
  await tx.done
}

/** Uploads that were begun at this place and never completed, the latest first. */
export async function unfinishedUploads(place: string): Promise<readonly KeptUpload[]> {
  const all = await (await database()).getAll('uploads')
  return all.filter((upload) => upload.place === place).toSorted((a, b) => b.startedAt - a.startedAt)
}

export async function keptSources(id: string): Promise<readonly KeptSource[]> {
  return (await (await database()).getAll('sources', ofUpload(id))).flat()
}

export async function keptUpload(id: string): Promise<KeptUpload | undefined> {
  return (await database()).get('uploads', id)
}

const ofUpload = (id: string) => IDBKeyRange.bound([id, 0], [id, Number.MAX_SAFE_INTEGER])

/** Forgets an upload: it is complete, or nobody wants it any more. */
export async function forgetUpload(id: string): Promise<void> {
  const tx = (await database()).transaction(['uploads', 'sources', 'notes'], 'readwrite', durable)
  void tx.objectStore('uploads').delete(id)
  void tx.objectStore('sources').delete(ofUpload(id))
  for (const key of await tx.objectStore('notes').index('upload').getAllKeys(id))
    void tx.objectStore('notes').delete(key)
  await tx.done
}

export function uploadJournal(id: string): Journal<UploadNote> {
  return {
    append: async (notes) => {
      const tx = (await database()).transaction('notes', 'readwrite', durable)
      void tx.store.add({ upload: id, notes })
      await tx.done
    },
    load: async function* () {
      for (const { notes } of await (await database()).getAllFromIndex('notes', 'upload', id)) yield* notes
    },
  }
}
