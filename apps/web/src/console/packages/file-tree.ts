import type { listFiles } from '@longshore/contract/cloud/files'
import type { ReplyOf } from '@longshore/contract/endpoint'

export type ListedFile = ReplyOf<typeof listFiles>[number]

interface Folder {
  readonly path: string
  readonly name: string
  readonly folders: Map<string, Folder>
  readonly files: ListedFile[]
  size: number
  count: number
}

export type Row =
  | { readonly kind: 'folder'; readonly depth: number; readonly folder: Folder; readonly isOpen: boolean }
  | { readonly kind: 'file'; readonly depth: number; readonly file: ListedFile }

const newFolder = (path: string, name: string): Folder => ({
  path,
  name,
  folders: new Map(),
  files: [],
  size: 0,
  count: 0,
})

/** The files of a package by folder; archives of the whole are no part of it. */
export function treeOf(files: readonly ListedFile[]): Folder {
  const root = newFolder('', '')
  for (const file of files) {
    if (file.kind === 'directory') folderAt(root, file.path === '' ? file.name : `${file.path}/${file.name}`)
    if (file.kind !== 'file') continue
    const along = folderAt(root, file.path)
    for (const folder of along) {
      folder.size += file.size ?? 0
      folder.count += 1
    }
    along.at(-1)?.files.push(file)
  }
  return root
}

/** The folders on the way to a path, the root first; made where they are missing. */
function folderAt(root: Folder, path: string): Folder[] {
  const along = [root]
  let here = root
  for (const name of path === '' ? [] : path.split('/')) {
    const next = here.folders.get(name) ?? newFolder(here.path === '' ? name : `${here.path}/${name}`, name)
    here.folders.set(name, next)
    along.push(next)
    here = next
  }
  return along
}

const byName = new Intl.Collator(undefined, { numeric: true })

/** What is to be seen: folders first, what lies in closed ones left out. */
export function rowsOf(root: Folder, isOpen: (path: string) => boolean): Row[] {
  const rows: Row[] = []
  const walk = (here: Folder, depth: number) => {
    for (const folder of [...here.folders.values()].sort((a, b) => byName.compare(a.name, b.name))) {
      const open = isOpen(folder.path)
      rows.push({ kind: 'folder', depth, folder, isOpen: open })
      if (open) walk(folder, depth + 1)
    }
    for (const file of here.files.sort((a, b) => byName.compare(a.name, b.name)))
      rows.push({ kind: 'file', depth, file })
  }
  walk(root, 0)
  return rows
}

/** Files whose name or folder has the words in it, as a flat list. */
export function matchingRows(files: readonly ListedFile[], words: string): Row[] {
  const wanted = words.toLowerCase()
  return files
    .filter(({ kind, path, name }) => kind === 'file' && `${path}/${name}`.toLowerCase().includes(wanted))
    .map((file) => ({ kind: 'file', depth: 0, file }))
}
