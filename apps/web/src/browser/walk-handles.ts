import type { Chosen } from './sources.ts'

/** The files of a folder, and its empty folders. What cannot be read is left for the sender to notice as missing. */
export async function* walkHandle(handle: FileSystemHandle, path = ''): AsyncGenerator<Chosen> {
  if (isFile(handle)) {
    yield await chosenFile(handle, path)
    return
  }
  if (!isFolder(handle)) return
  const inside = path === '' ? handle.name : `${path}/${handle.name}`
  let empty = true
  for await (const child of handle.values()) {
    empty = false
    yield* walkHandle(child, inside)
  }
  if (empty) yield { kind: 'directory', name: handle.name, path, size: 0, lastModified: Date.now() }
}

const isFile = (handle: FileSystemHandle): handle is FileSystemFileHandle => handle.kind === 'file'
const isFolder = (handle: FileSystemHandle): handle is FileSystemDirectoryHandle => handle.kind === 'directory'

async function chosenFile(handle: FileSystemFileHandle, path: string): Promise<Chosen> {
  const file = await handle.getFile()
  return { kind: 'file', name: file.name, path, size: file.size, lastModified: file.lastModified, file, handle }
}
