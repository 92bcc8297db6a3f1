import { HostFault } from '@longshore/transfer/faults'
import type { Hasher, PartFile, Receive, WantedFile } from '@longshore/transfer/ports'
import { placeOf, type Place } from './places.ts'
import { createSha256, type Sha256 } from './sha256.ts'

/** A file of a package that is to be saved in a folder of this computer. */
export interface ToSave extends Place {
  readonly id: string
  readonly size: number
  readonly sha256: string | undefined
}

interface FolderPart extends PartFile {
  readonly writable: FileSystemWritableFileStream
  hash: Sha256
}

/**
 * Files in a folder that somebody picked. The browser writes beside the file and puts it in place when it is closed, so
 * nothing half is ever there. It can neither be read nor kept before that: a file that was not finished begins anew.
 */
export function folderTarget(root: FileSystemDirectoryHandle) {
  const folders = new Map<string, Promise<FileSystemDirectoryHandle>>([['', Promise.resolve(root)]])

  const folderAt = (path: string): Promise<FileSystemDirectoryHandle> => {
    const known = folders.get(path)
    if (known !== undefined) return known
    const cut = path.lastIndexOf('/')
    const made = folderAt(cut === -1 ? '' : path.slice(0, cut)).then((above) =>
      above.getDirectoryHandle(path.slice(cut + 1), { create: true }),
    )
    folders.set(path, made)
    return made
  }

  const wanted = (n: number, file: ToSave): WantedFile => ({
    n,
    id: file.id,
    size: file.size,
    sha256: file.sha256,
    found: async () => 'nothing',
    open: async () => {
      try {
        return await openPart(await folderAt(file.path), file.name)
      } catch (error) {
        throw new HostFault('destination_refused', `'${placeOf(file)}' cannot be written.`, error)
      }
    },
  })

  /** Whether the folder has this very file already, by its bytes. */
  const has = async (file: ToSave): Promise<boolean> => {
    if (file.sha256 === undefined) return false
    const there = await fileNamed(await folderAt(file.path), file.name)
    return there !== undefined && there.size === file.size && (await sha256Of(there)) === file.sha256
  }

  return { wanted, has }
}

async function fileNamed(folder: FileSystemDirectoryHandle, name: string): Promise<File | undefined> {
  try {
    return await (await folder.getFileHandle(name)).getFile()
  } catch {
    return undefined
  }
}

async function sha256Of(file: File): Promise<string> {
  const hash = createSha256()
  for await (const piece of file.stream() as unknown as AsyncIterable<Uint8Array>) hash.update(piece)
  return hash.finish()
}

/** Never over another file: the next free name is taken. */
async function openPart(folder: FileSystemDirectoryHandle, name: string): Promise<FolderPart> {
  const free = await freeName(folder, name)
  const handle = await folder.getFileHandle(free, { create: true })
  const writable = await handle.createWritable()
  let finished = false
  const part: FolderPart = {
    writable,
    hash: createSha256(),
    sync: async () => undefined,
    seal: async () => undefined,
    commit: async () => {
      await writable.close()
      finished = true
    },
    empty: async () => {
      await writable.truncate(0)
      part.hash = createSha256()
    },
    close: async () => {
      if (finished) return
      await writable.abort()
      // The empty file that stood in for it.
      await folder.removeEntry(free)
    },
  }
  return part
}

async function freeName(folder: FileSystemDirectoryHandle, name: string): Promise<string> {
  for (let number = 1; ; number++) {
    const candidate = number === 1 ? name : numbered(name, number)
    if ((await fileNamed(folder, candidate)) === undefined) return candidate
  }
}

function numbered(name: string, number: number): string {
  const dot = name.lastIndexOf('.')
  return dot <= 0 ? `${name} (${number})` : `${name.slice(0, dot)} (${number})${name.slice(dot)}`
}

/** The bytes come in order, so they are hashed as they pass. */
export const passingHasher: Hasher = {
  begin: (of) => ({
    advance: () => undefined,
    finish: async () => ({ sha256: (of as FolderPart).hash.finish(), crc32: '' }),
    drop: () => undefined,
  }),
}

/** A file in one stretch: its bytes must come in order to be hashed. Several files come at once. */
export const wholeFile = (size: number): number => Math.max(1, size)

export const receive: Receive = async ({ url, start, end, size }, into, { signal, pace, moved }) => {
  const part = into as FolderPart
  const whole = start === 0 && end === size
  const reply = await fetch(url, {
    signal,
    cache: 'no-store',
    referrerPolicy: 'no-referrer',
    ...(whole ? {} : { headers: { range: `bytes=${start}-${end - 1}` } }),
  })
  const expected = whole ? reply.status === 200 || reply.status === 206 : reply.status === 206
  if (!expected || reply.body === null) return { status: reply.ok ? 500 : reply.status, text: await reply.text() }
  let at = start
  for await (const piece of reply.body as unknown as AsyncIterable<Uint8Array<ArrayBuffer>>) {
    await pace(piece.length)
    await written(part, piece, at)
    part.hash.update(piece)
    at += piece.length
    moved(piece.length)
  }
  return { status: reply.status, text: '' }
}

async function written({ writable }: FolderPart, data: Uint8Array<ArrayBuffer>, position: number): Promise<void> {
  try {
    await writable.write({ type: 'write', position, data })
  } catch (error) {
    const isFull = error instanceof DOMException && error.name === 'QuotaExceededError'
    throw new HostFault(isFull ? 'disk_full' : 'destination_refused', 'The folder does not take it.', error)
  }
}
