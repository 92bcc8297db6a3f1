import { constants } from 'node:fs'
import { type FileHandle, open, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import type { Place } from '@longshore/contract/names'
import { HostFault } from '@longshore/transfer/faults'
import type { WantedFile } from '@longshore/transfer/ports'
import { destinationFault, telling } from '#host/disk-faults'
import { type Folder, makeWithin, openRoot, openStanding, type Owner, standing } from '#host/folder'
import { createFolders, type Folders } from '#host/folders'
import { findNamed, giveName, type OnConflict } from '#host/give-name'
import { closeAfterReaders, type DiskPart } from '#host/open-file'
import { folderComponents, localComponents, numbered } from '#host/safe-path'

/** A file of a package that is to be written here. */
export interface ArrivingFile extends Place {
  /** Its number in the transfer, the same in every run. */
  readonly n: number
  readonly id: string
  readonly size: number
  readonly sha256?: string | undefined
  /** ISO 8601. */
  readonly lastModified: string
}

/** The folder that a package is downloaded into. Whatever the package says, nothing is written outside of it. */
export interface Destination {
  readonly makeFolder: (place: Place) => Promise<void>
  /** Whether something has this name already: to be asked before a download begins that is to skip such files. */
  readonly stands: (place: Place) => Promise<boolean>
  /** What the engine is given of a file. */
  readonly wanted: (file: ArrivingFile) => WantedFile
  /** Removes what was left unfinished of this file; for a download that is given up. */
  readonly forget: (file: Place & { readonly n: number }) => Promise<void>
  readonly close: () => Promise<void>
}

export async function openDestination(options: {
  /** Absolute; made if need be, unless everything goes below it. */
  readonly root: string
  /** Folders below a root that must be there, `/` between them. */
  readonly below?: string
  /** Whose files and folders are to be that are made. */
  readonly owner?: Owner
  /** Names the part files of this download, so that no two downloads write to the same. */
  readonly transfer: string
  readonly onConflict: OnConflict
}): Promise<Destination> {
  const { root, below, owner, onConflict } = options
  const outer = below === undefined ? [] : folderComponents(below)
  const folders = createFolders(await (below === undefined ? openRoot : openStanding)(root), owner)
  const partOf = (n: number) => partName(options.transfer, n)
  const split = (place: Place): [path: string[], name: string] => {
    const components = localComponents(place)
    return [[...outer, ...components.slice(0, -1)], components.at(-1) ?? '']
  }
  return {
    makeFolder: async (place) => {
      const [path, name] = split(place)
      await folders.use([...path, name], async () => undefined)
    },
    stands: async (place) => {
      const [path, name] = split(place)
      return folders.use(path, async (folder) => (await standing(folder, name)) !== undefined)
    },
    wanted: (file) => wantedFile({ folders, split, owner, onConflict }, file, partOf(file.n)),
    forget: async ({ n, ...place }) => {
      const [path] = split(place)
      await folders.visit(path, (folder) => unlink(folder.at(partOf(n))).catch(() => undefined))
    },
    close: folders.close,
  }
}

const partName = (transfer: string, n: number) => `.longshore-${transfer}-${n}.part`

/** Whether something may be a file of ours that is not whole yet. */
export const isPartName = (name: string): boolean => /^\.longshore-.+-\d+\.part$/.test(name)

/** Makes a folder for a package, numbered where the name is taken. Answers its path. */
export async function makePackageFolder(root: string, name: string): Promise<string> {
  const within = await openRoot(root)
  try {
    for (let number = 1; ; number++) {
      const free = number === 1 ? name : numbered(name, number)
      if (await makeWithin(within, free)) return join(within.local, free)
    }
  } finally {
    await within.close()
  }
}

interface Site {
  readonly folders: Folders
  readonly split: (place: Place) => [path: string[], name: string]
  readonly owner: Owner | undefined
  readonly onConflict: OnConflict
}

function wantedFile({ folders, split, owner, onConflict }: Site, file: ArrivingFile, part: string): WantedFile {
  const { n, id, size, sha256 } = file
  return {
    n,
    id,
    size,
    sha256,
    found: async () => {
      const [path, name] = split(file)
      return folders.use(path, (folder) => found(folder, { ...file, name }, part))
    },
    open: async () => {
      const [path, name] = split(file)
      // Two names that became the same here are two files all the same.
      const policy = name === file.name ? onConflict : 'rename'
      const { folder, leave } = await folders.take(path)
      try {
        return partFile(await openPart(folder, part), { folder, leave, part, name, owner, policy, file })
      } catch (error) {
        leave()
        throw error
      }
    },
  }
}

/**
 * A file is finished if its part file is gone and there is one of its size and time: the time was set before it got its
 * name, and no other program has a reason to set that one.
 */
async function found(folder: Folder, file: ArrivingFile, part: string): Promise<'nothing' | 'part' | 'finished'> {
  const left = await standing(folder, part)
  if (left !== undefined) {
    const isSame = ({ dev, ino }: { dev: bigint; ino: bigint }) => dev === left.dev && ino === left.ino
    if (left.nlink < 2n || !(await findNamed(folder, file.name, isSame))) return 'part'
    // The end came between the new name and the removal of the old.
    await telling(destinationFault, join(folder.local, part), () => unlink(folder.at(part)))
    return 'finished'
  }
  const isIt = ({ size, mtimeMs }: { size: bigint; mtimeMs: bigint }) =>
    Number(size) === file.size && Math.abs(Number(mtimeMs) - Date.parse(file.lastModified)) <= coarsestTimeMs
  return (await findNamed(folder, file.name, isIt)) ? 'finished' : 'nothing'
}

// FAT keeps times to two seconds.
const coarsestTimeMs = 2_000

const writing = constants.O_RDWR | constants.O_CREAT | constants.O_NOFOLLOW | constants.O_NONBLOCK

/** Its name is known to nobody else, but somebody may have guessed it: nothing is written through what they put there. */
async function openPart(folder: Folder, part: string): Promise<{ handle: FileHandle; device: bigint }> {
  const local = join(folder.local, part)
  const handle = await telling(destinationFault, local, () => open(folder.at(part), writing, 0o666)).catch(
    (error: unknown) => {
      throw error instanceof HostFault ? error : noPartFile(local, error)
    },
  )
  const stats = await handle.stat({ bigint: true })
  if (stats.isFile() && stats.nlink === 1n) return { handle, device: stats.dev }
  await handle.close()
  throw noPartFile(local)
}

const noPartFile = (local: string, cause?: unknown) =>
  new HostFault('destination_refused', `'${local}' is in the way. Remove it, then resume.`, cause)

interface Goal {
  readonly folder: Folder
  readonly leave: () => void
  readonly part: string
  readonly name: string
  readonly owner: Owner | undefined
  readonly policy: OnConflict
  readonly file: ArrivingFile
}

function partFile({ handle, device }: { handle: FileHandle; device: bigint }, goal: Goal): DiskPart {
  const local = join(goal.folder.local, goal.name)
  const readers = new Set<Promise<unknown>>()
  const told = <Result>(work: () => Promise<Result>) => telling(destinationFault, local, work)
  return {
    handle,
    local,
    device,
    readers,
    sync: () => told(() => handle.datasync()),
    seal: () =>
      told(async () => {
        if (goal.owner !== undefined) await handle.chown(goal.owner.user, goal.owner.group)
        await handle.utimes(new Date(), new Date(goal.file.lastModified))
        await handle.sync()
      }),
    commit: () => giveName(goal.folder, goal.part, goal.name, goal.policy),
    empty: () => told(() => handle.truncate(0)),
    close: async () => {
      await closeAfterReaders({ handle, readers })
      goal.leave()
    },
  }
}
