import type { GivenFile } from './upload-messages.ts'

/** What somebody dropped or chose, as far as the browser shows it. */
export interface Collected {
  readonly handles: readonly FileSystemHandle[]
  readonly files: AsyncIterable<GivenFile>
}

declare global {
  interface DataTransferItem {
    getAsFileSystemHandle?(): Promise<FileSystemHandle | null>
  }
  interface Window {
    showOpenFilePicker?(options?: { multiple?: boolean }): Promise<FileSystemFileHandle[]>
    showDirectoryPicker?(options?: { mode?: 'read' | 'readwrite'; id?: string }): Promise<FileSystemDirectoryHandle>
  }
  interface FileSystemHandle {
    queryPermission?(options?: { mode?: 'read' | 'readwrite' }): Promise<PermissionState>
    requestPermission?(options?: { mode?: 'read' | 'readwrite' }): Promise<PermissionState>
  }
}

/**
 * Files and folders of a drop. To be called in the handler of the event: its items are gone afterwards, so all of them
 * are asked for before anything is waited for.
 */
export async function collectDrop(data: DataTransfer): Promise<Collected> {
  const items = [...data.items].filter(({ kind }) => kind === 'file')
  const asked = items.map((item) => ({
    handle: item.getAsFileSystemHandle?.().catch(() => null),
    entry: item.webkitGetAsEntry(),
    file: item.getAsFile(),
  }))
  const handles: FileSystemHandle[] = []
  const rest: { readonly entry: FileSystemEntry | null; readonly file: File | null }[] = []
  for (const one of asked) {
    const handle = await one.handle
    if (handle == null) rest.push(one)
    else handles.push(handle)
  }
  return { handles, files: filesOf(rest) }
}

async function* filesOf(
  items: readonly { readonly entry: FileSystemEntry | null; readonly file: File | null }[],
): AsyncGenerator<GivenFile> {
  for (const { entry, file } of items) {
    if (entry !== null) yield* filesBelow(entry, '')
    else if (file !== null) yield { file, path: '' }
  }
}

async function* filesBelow(entry: FileSystemEntry, path: string): AsyncGenerator<GivenFile> {
  if (entry.isFile) {
    const file = await new Promise<File>((resolve, reject) => (entry as FileSystemFileEntry).file(resolve, reject))
    yield { file, path }
    return
  }
  const inside = path === '' ? entry.name : `${path}/${entry.name}`
  const reader = (entry as FileSystemDirectoryEntry).createReader()
  for (;;) {
    const some = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject))
    if (some.length === 0) return
    for (const child of some) yield* filesBelow(child, inside)
  }
}

/** Files of an input; those of a chosen folder know their way inside it. */
export async function* filesOfInput(files: readonly File[]): AsyncGenerator<GivenFile> {
  for (const file of files) {
    const steps = file.webkitRelativePath.split('/').slice(0, -1)
    yield { file, path: steps.join('/') }
  }
}

/** Asks for the right to read again, which a browser forgets with the page. Must be called by a click. */
export async function askToRead(handles: readonly FileSystemHandle[]): Promise<boolean> {
  for (const handle of handles) if ((await handle.requestPermission?.({ mode: 'read' })) !== 'granted') return false
  return handles.length > 0
}

/** Whether all of them can be read without asking anybody. */
export async function mayRead(handles: readonly FileSystemHandle[]): Promise<boolean> {
  for (const handle of handles) if ((await handle.queryPermission?.({ mode: 'read' })) !== 'granted') return false
  return handles.length > 0
}
