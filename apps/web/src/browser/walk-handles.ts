import type { Chosen } from './sources.ts'

/** The files of a folder, and its empty folders. */
export async function* walkHandle(handle: FileSystemHandle, path = ''): AsyncGenerator<Chosen> {
  try {
    if (isFile(handle)) yield await chosenFile(handle, path)
    else if (isFolder(handle)) yield* walkFolder(handle, path)
  } catch {
    // Listed all the same, and refused when it is to be sent: nobody is to miss it only at the other end.
    yield { kind: 'file', name: handle.name, path, size: 0, lastModified: 0, ...(isFile(handle) ? { handle } : {}) }
  }
}

async function* walkFolder(handle: FileSystemDirectoryHandle, path: string): AsyncGenerator<Chosen> {
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
