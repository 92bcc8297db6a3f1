import { type BigIntStats, constants } from 'node:fs'
import { link, open, realpath, rename, unlink } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { HostFault } from '@longshore/transfer/faults'
import { destinationFault, errorCode, telling } from '#host/disk-faults'
import { type Folder, standing } from '#host/folder'
import { numbered } from '#host/safe-path'

export type OnConflict = 'rename' | 'skip' | 'overwrite'

/** Gives a part file its name in the same folder. What stands there is kept, unless it is to be replaced. */
export async function giveName(folder: Folder, part: string, name: string, onConflict: OnConflict): Promise<void> {
  await telling(destinationFault, join(folder.local, name), async () => {
    if (onConflict === 'overwrite' && (await mayReplace(folder, name))) {
      await rename(folder.at(part), folder.at(name))
    } else if (onConflict === 'skip') {
      // It was not there when the download began; whoever put it there since keeps it.
      if (!(await moveIfFree(folder, part, name))) await unlink(folder.at(part))
    } else {
      for (let number = 1; !(await moveIfFree(folder, part, nameOf(name, number))); number++);
    }
  })
  await folder.sync()
}

const nameOf = (name: string, number: number) => (number === 1 ? name : numbered(name, number))

/** True for a file of this very name, or none. On disks that do not tell `A` from `a`, the other one may be of this package. */
async function mayReplace(folder: Folder, name: string): Promise<boolean> {
  const stands = await standing(folder, name)
  if (stands === undefined) return true
  if (!stands.isFile()) {
    throw new HostFault('destination_refused', `'${join(folder.local, name)}' is no file, and is not replaced.`)
  }
  return basename(await realpath(folder.at(name))) === name
}

// Disks without hard links.
const noLinks = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK', 'EXDEV'])

/** Answers false where something has the name. `rename` would replace it; `link` is the call that does not. */
async function moveIfFree(folder: Folder, part: string, name: string): Promise<boolean> {
  try {
    await link(folder.at(part), folder.at(name))
    await unlink(folder.at(part))
    return true
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false
    if (!noLinks.has(errorCode(error) ?? '')) throw error
    return moveWithoutLinks(folder, part, name)
  }
}

/** Takes the name with an empty file of our own first, which is then replaced. */
async function moveWithoutLinks(folder: Folder, part: string, name: string): Promise<boolean> {
  try {
    const taken = await open(folder.at(name), constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL)
    await taken.close()
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false
    throw error
  }
  await rename(folder.at(part), folder.at(name))
  return true
}

/** The first file under this name, or a numbered one, of which this is true. */
export async function findNamed(folder: Folder, name: string, isIt: (stats: BigIntStats) => boolean): Promise<boolean> {
  for (let number = 1; ; number++) {
    const stands = await standing(folder, nameOf(name, number))
    if (stands === undefined) return false
    if (stands.isFile() && isIt(stands)) return true
  }
}
