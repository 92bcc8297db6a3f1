import { errorCode } from '#host/disk-faults'
import { enter, type Folder, openWithin, type Owner } from '#host/folder'

/** The folders below a root that are in use, and a few that may soon be again: packages name the same ones file by file. */
export interface Folders {
  /** Opens, or makes, the folders of a path, each inside the one before. */
  readonly use: <Result>(path: readonly string[], work: (folder: Folder) => Promise<Result>) => Promise<Result>
  /** The same where they are there; otherwise nothing is done, and nothing made. */
  readonly visit: (path: readonly string[], work: (folder: Folder) => Promise<unknown>) => Promise<void>
  readonly take: (path: readonly string[]) => Promise<{ readonly folder: Folder; readonly leave: () => void }>
  readonly close: () => Promise<void>
}

// Each is an open file of this process.
const mostIdle = 32

interface Kept {
  readonly folder: Promise<Folder>
  users: number
}

/** Those that are made get this owner. */
export function createFolders(root: Folder, owner?: Owner): Folders {
  /** In the order of their last use. */
  const kept = new Map<string, Kept>()

  const take = async (path: readonly string[]) => {
    if (path.length === 0) return { folder: root, leave: () => {} }
    const key = path.join('/')
    const one = kept.get(key) ?? { folder: open(path), users: 0 }
    kept.delete(key)
    kept.set(key, one)
    one.users++
    try {
      return { folder: await one.folder, leave: () => leave(one) }
    } catch (error) {
      if (kept.get(key) === one) kept.delete(key)
      throw error
    }
  }

  const open = async (path: readonly string[]): Promise<Folder> => {
    const outer = await take(path.slice(0, -1))
    try {
      return await openWithin(outer.folder, path.at(-1) ?? '', owner)
    } finally {
      outer.leave()
    }
  }

  const leave = (one: Kept) => {
    one.users--
    const idle = [...kept].filter(([, { users }]) => users === 0)
    for (const [key, { folder }] of idle.slice(0, Math.max(0, idle.length - mostIdle))) {
      kept.delete(key)
      void folder.then((folder) => folder.close())
    }
  }

  return {
    take,
    use: async (path, work) => {
      const { folder, leave } = await take(path)
      try {
        return await work(folder)
      } finally {
        leave()
      }
    },
    visit: (path, work) => visit(root, path, work),
    close: async () => {
      const all = [...kept.values()]
      kept.clear()
      for (const { folder } of all) await folder.then((folder) => folder.close()).catch(() => undefined)
      await root.close()
    },
  }
}

async function visit(
  folder: Folder,
  [name, ...further]: readonly string[],
  work: (folder: Folder) => Promise<unknown>,
): Promise<void> {
  if (name === undefined) {
    await work(folder)
    return
  }
  const inner = await enter(folder, name).catch((error: unknown) => {
    if (errorCode(error) === 'ENOENT') return undefined
    throw error
  })
  if (inner === undefined) return
  try {
    await visit(inner, further, work)
  } finally {
    await inner.close()
  }
}
