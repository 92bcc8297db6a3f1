import type { Look, OpenSource, SourceFile } from '@longshore/transfer/ports'
import type { Place } from './places.ts'
import { unreadable } from './unreadable.ts'

/** A file or an empty folder that somebody chose, at its place in the package. */
export interface Chosen extends Place {
  readonly kind: 'file' | 'directory'
  readonly size: number
  /** Milliseconds since 1970. */
  readonly lastModified: number
  /** Absent for a folder, and for a file of an earlier visit that was not chosen again yet. */
  readonly file?: File
  /** Where the browser lends more than the file as it was when it was chosen. */
  readonly handle?: FileSystemFileHandle
}

/** Files of an open package that can be read now. */
export interface OpenedFile extends OpenSource {
  readonly file: File
}

const looks = ({ name, size, lastModified }: Pick<Chosen, 'name' | 'size' | 'lastModified'>): Look => ({
  size,
  lastModified: new Date(lastModified).toISOString(),
  identity: `${name}:${size}:${lastModified}`,
})

const MiB = 1024 * 1024

/** Small enough that a reload repeats little, and at most 512 of them until they are 128 MiB large. */
export const chunkSizeFor = (size: number): number =>
  Math.min(128 * MiB, Math.max(8 * MiB, Math.ceil(size / 512 / MiB) * MiB))

export function sourceOf(n: number, chosen: Chosen): SourceFile {
  return {
    n,
    kind: chosen.kind,
    name: chosen.name,
    path: chosen.path,
    ...looks(chosen),
    ...(chosen.kind === 'file' ? { chunkSize: chunkSizeFor(chosen.size) } : {}),
    open: async () => {
      const file = await current(chosen)
      const opened: OpenedFile = {
        file,
        ...looks(file),
        look: async () => looks(chosen.handle === undefined ? file : await current(chosen)),
        close: async () => undefined,
      }
      return opened
    },
  }
}

/** The file as it is now, where we have a handle; else as it was chosen, which the browser refuses to read if it changed. */
async function current({ handle, file }: Chosen): Promise<File> {
  try {
    if (handle !== undefined) return await handle.getFile()
  } catch (error) {
    throw unreadable(error)
  }
  if (file === undefined) throw unreadable(new DOMException('It was not chosen again.', 'NotFoundError'))
  return file
}
