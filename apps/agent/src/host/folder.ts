import { type BigIntStats, constants, existsSync } from 'node:fs'
import { access, type FileHandle, lstat, mkdir, open, realpath } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { HostFault } from '@longshore/transfer/faults'
import { destinationFault, errorCode } from '#host/disk-faults'

/**
 * A folder that is held open. What is done in it is done in this very folder, whatever its path leads to by then.
 *
 * Node has no `openat`, and a path can be turned into another one by a link between two calls. On Linux
 * `/proc/self/fd/N/name` is a name inside an open folder, which is the same thing. Elsewhere the path is used, and it is
 * looked at after each step whether it still is what it says it is: that leaves a moment in which a program that runs as
 * the same user could play a trick, and nothing that a package could.
 */
export interface Folder {
  /** For people. */
  readonly local: string
  /** A path for this name in this folder. */
  readonly at: (name: string) => string
  /** Resolves once names that were given in it would survive a crash of the machine. */
  readonly sync: () => Promise<void>
  readonly give: (owner: Owner) => Promise<void>
  readonly stats: () => Promise<BigIntStats>
  readonly close: () => Promise<void>
}

/** Whose a file or folder is to be, by the numbers of the system; -1 leaves it as it is. */
export interface Owner {
  readonly user: number
  readonly group: number
}

const byDescriptor = process.platform === 'linux' && existsSync('/proc/self/fd')
const directory = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW

/** The folder that somebody chose to download into; made if need be. It may be, or be below, a link. */
export async function openRoot(path: string): Promise<Folder> {
  try {
    await makeDown(path)
    const real = await realpath(path)
    return held(await open(real, directory), real)
  } catch (error) {
    throw folderFault(error, path)
  }
}

/**
 * Makes a folder and those above it. The `recursive` of Node never ends where the folder above is there and takes no other
 * in it, as an automounter does whose share is away, and it keeps a thread for itself all the while.
 */
async function makeDown(path: string): Promise<void> {
  const isThere = await access(path).then(
    () => true,
    () => false,
  )
  if (isThere) return
  if (dirname(path) !== path) await makeDown(dirname(path))
  await mkdir(path).catch((error: unknown) => {
    if (errorCode(error) === 'ENOENT') throw new HostFault('destination_refused', `No folder can be made at '${path}'.`)
    // Somebody else may have made it by now.
    if (errorCode(error) !== 'EEXIST') throw error
  })
}

/**
 * A folder that must be there, under this very path: a share that is not mounted is not to be filled in its place, and
 * a link that somebody put there is not to be followed.
 */
export async function openStanding(path: string): Promise<Folder> {
  const gone = (cause: unknown) =>
    new HostFault('destination_refused', `There is no folder '${path}', or it may not be opened.`, cause)
  const handle = await open(path, directory).catch((error: unknown) => {
    throw gone(error)
  })
  const real = await realpath(byDescriptor ? `/proc/self/fd/${handle.fd}` : path).catch(gone)
  if (real === path) return held(handle, path)
  await handle.close()
  throw real instanceof HostFault ? real : inTheWay(path)
}

/** The folder of this name in another. Nothing is made, and a link in its place is not followed. */
export async function enter(folder: Folder, name: string): Promise<Folder> {
  const local = join(folder.local, name)
  const opened = held(await open(folder.at(name), directory), local)
  if (byDescriptor || (await realpath(local)) === local) return opened
  await opened.close()
  throw inTheWay(local)
}

/** The same, made if need be; one that was made gets this owner. A link in its place is refused, wherever it leads. */
export async function openWithin(folder: Folder, name: string, owner?: Owner): Promise<Folder> {
  try {
    return await enter(folder, name).catch(async (error: unknown) => {
      if (errorCode(error) !== 'ENOENT') throw error
      const made = await makeWithin(folder, name)
      const opened = await enter(folder, name)
      try {
        if (made && owner !== undefined) await opened.give(owner)
        return opened
      } catch (error) {
        await opened.close()
        throw error
      }
    })
  } catch (error) {
    throw folderFault(error, join(folder.local, name))
  }
}

/** Answers false where something stands there already. */
export async function makeWithin(folder: Folder, name: string): Promise<boolean> {
  try {
    await mkdir(folder.at(name))
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false
    throw destinationFault(error, join(folder.local, name))
  }
  await folder.sync()
  return true
}

function held(handle: FileHandle, local: string): Folder {
  const sync = async () => {
    // Windows has no such thing for folders.
    if (process.platform !== 'win32') await handle.sync()
  }
  return {
    local,
    at: (name) => (byDescriptor ? `/proc/self/fd/${handle.fd}/${name}` : join(local, name)),
    sync: gatheredSync(sync),
    give: ({ user, group }) => handle.chown(user, group),
    stats: () => handle.stat({ bigint: true }),
    close: () => handle.close(),
  }
}

/** One sync for all who ask while another one is under way. */
function gatheredSync(sync: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> = Promise.resolve()
  let next: Promise<void> | undefined
  return () => {
    next ??= running
      .catch(() => undefined)
      .then(() => {
        next = undefined
        running = sync()
        return running
      })
    return next
  }
}

function folderFault(error: unknown, local: string): unknown {
  const code = errorCode(error)
  return code === 'ELOOP' || code === 'ENOTDIR' || code === 'EEXIST' ? inTheWay(local) : destinationFault(error, local)
}

const inTheWay = (local: string) =>
  new HostFault('destination_refused', `'${local}' is not a folder, or is a link, and nothing is written through it.`)

/** What stands at this name: a file, something else, or nothing. Links are not followed. */
export async function standing(folder: Folder, name: string) {
  try {
    return await lstat(folder.at(name), { bigint: true })
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined
    throw destinationFault(error, join(folder.local, name))
  }
}
