import { readdir, rmdir } from 'node:fs/promises'
import { join } from 'node:path'

/** Removes a folder and those below it, as far as there is nothing in them. Links are not followed. */
export async function removeEmpty(folder: string): Promise<void> {
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    if (entry.isDirectory()) await removeEmpty(join(folder, entry.name))
  }
  await rmdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error
  })
}
