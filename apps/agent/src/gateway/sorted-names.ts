import { readdir } from 'node:fs/promises'
import type { Folder } from '#host/folder'
import { isPartName } from '#host/destination'

/** The names of files and folders in a folder, in order. Links, devices and our own part files are none of them. */
export type SortedNames = (folder: Folder) => Promise<readonly string[]>

// Somebody who leafs through a folder asks for the next page within this time.
const keptMs = 20_000
// A change may have the same time as one before it, as coarsely as disks and shares keep it.
const coarsestTimeMs = 2_000

/**
 * Reading and sorting a hundred thousand names for each page of a thousand would be most of the work, so the names of
 * the last folder are kept for a moment, for as long as nothing comes or goes in it. Of the last one alone: that bounds
 * what it takes, and leafing is what repeats.
 */
export function createSortedNames(): { readonly of: SortedNames; readonly forget: () => void } {
  let last: { readonly stamp: string; readonly names: Promise<readonly string[]> } | undefined
  let forgetting: NodeJS.Timeout | undefined
  const forget = () => {
    clearTimeout(forgetting)
    last = undefined
  }

  return {
    of: async (folder) => {
      const { dev, ino, mtimeNs, mtimeMs } = await folder.stats()
      const stamp = [dev, ino, mtimeNs].join()
      if (last?.stamp === stamp) return last.names
      const names = readNames(folder)
      forget()
      if (Date.now() - Number(mtimeMs) > coarsestTimeMs) {
        last = { stamp, names }
        names.catch(forget)
        forgetting = setTimeout(forget, keptMs)
      }
      return names
    },
    forget,
  }
}

async function readNames(folder: Folder): Promise<readonly string[]> {
  const entries = await readdir(folder.at('.'), { withFileTypes: true })
  return entries
    .filter((entry) => (entry.isFile() || entry.isDirectory()) && !isPartName(entry.name))
    .map(({ name }) => name)
    .sort()
}
