import type { ReplyOf } from '@longshore/contract/endpoint'
import type { listFiles } from '@longshore/contract/cloud/files'

type Listed = ReplyOf<typeof listFiles>[number]

/**
 * The files and folders of a package as a tree: each folder is followed by all that is in it. Columns in place of
 * objects, because a hundred thousand of those take a page too long to receive.
 */
export interface Contents {
  readonly names: readonly string[]
  /** Empty for folders. */
  readonly ids: readonly string[]
  readonly isFolder: Uint8Array
  /** Of a folder: all that is in it. */
  readonly sizes: Float64Array
  readonly fileCounts: Int32Array
  readonly depths: Int16Array
  /** -1 at the root. */
  readonly parents: Int32Array
  /** The first row that is not inside any more. */
  readonly ends: Int32Array
  readonly marks: Uint8Array
}

export const marks = { infected: 1, scanning: 2, verified: 4, damaged: 8 } as const

export type ArchiveKind = 'zip_windows' | 'zip_mac'

interface Folder {
  readonly folders: Map<string, Folder>
  readonly files: Listed[]
}

const newFolder = (): Folder => ({ folders: new Map(), files: [] })

export function contentsOf(listed: readonly Listed[]): Contents {
  const root = newFolder()
  const folderAt = (path: string) => {
    let folder = root
    if (path === '') return folder
    for (const name of path.split('/')) {
      const inside = folder.folders.get(name) ?? newFolder()
      folder.folders.set(name, inside)
      folder = inside
    }
    return folder
  }
  let known = { path: '', folder: root }
  for (const entry of listed) {
    if (entry.kind === 'zip_windows' || entry.kind === 'zip_mac') continue
    if (entry.path !== known.path) known = { path: entry.path, folder: folderAt(entry.path) }
    if (entry.kind === 'file') known.folder.files.push(entry)
    else folderAt(withName(entry))
  }
  return inOrder(root)
}

const withName = ({ path, name }: Listed) => (path === '' ? name : `${path}/${name}`)

const { compare } = new Intl.Collator(undefined, { numeric: true, sensitivity: 'base' })

function inOrder(root: Folder): Contents {
  const names: string[] = []
  const ids: string[] = []
  const rows: {
    isFolder: number
    size: number
    count: number
    depth: number
    parent: number
    end: number
    mark: number
  }[] = []

  const place = (folder: Folder, depth: number, parent: number): { size: number; count: number } => {
    let size = 0
    let count = 0
    for (const [name, inside] of [...folder.folders].sort(([a], [b]) => compare(a, b))) {
      const row = { isFolder: 1, size: 0, count: 0, depth, parent, end: 0, mark: 0 }
      const at = rows.push(row) - 1
      names.push(name)
      ids.push('')
      Object.assign(row, place(inside, depth + 1, at), { end: rows.length })
      size += row.size
      count += row.count
    }
    for (const file of folder.files.sort((a, b) => compare(a.name, b.name))) {
      const bytes = file.size ?? 0
      rows.push({ isFolder: 0, size: bytes, count: 1, depth, parent, end: rows.length + 1, mark: markOf(file) })
      names.push(file.name)
      ids.push(file.id)
      size += bytes
      count++
    }
    return { size, count }
  }

  place(root, 0, -1)
  return {
    names,
    ids,
    isFolder: Uint8Array.from(rows, (row) => row.isFolder),
    sizes: Float64Array.from(rows, (row) => row.size),
    fileCounts: Int32Array.from(rows, (row) => row.count),
    depths: Int16Array.from(rows, (row) => row.depth),
    parents: Int32Array.from(rows, (row) => row.parent),
    ends: Int32Array.from(rows, (row) => row.end),
    marks: Uint8Array.from(rows, (row) => row.mark),
  }
}

const markOf = ({ virus_detected: infected, scan, integrity }: Listed): number =>
  (infected ? marks.infected : 0) |
  (scan === 'pending' ? marks.scanning : 0) |
  (integrity === 'verified' ? marks.verified : 0) |
  (integrity === 'damaged' ? marks.damaged : 0)

/** The rows to be shown when these folders are closed. */
export function openRows({ names, ends }: Contents, closed: ReadonlySet<number>): number[] {
  const rows: number[] = []
  for (let row = 0; row < names.length; row = closed.has(row) ? (ends[row] as number) : row + 1) rows.push(row)
  return rows
}

/** Files with this in their name, whatever folder they are in. */
export function rowsNamed({ names, isFolder }: Contents, text: string): number[] {
  const wanted = text.toLowerCase()
  const rows: number[] = []
  for (let row = 0; row < names.length; row++) {
    if (isFolder[row] === 0 && (names[row] as string).toLowerCase().includes(wanted)) rows.push(row)
  }
  return rows
}

/** The folder of a row, `/` between its components. */
export function folderOf({ names, parents }: Contents, row: number): string {
  const steps: string[] = []
  for (let at = parents[row] as number; at !== -1; at = parents[at] as number) steps.unshift(names[at] as string)
  return steps.join('/')
}
