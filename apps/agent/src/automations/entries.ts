import { createHash } from 'node:crypto'
import { lstat, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { fullPath } from '@longshore/contract/names'
import { errorCode, sourceFault, telling } from '#host/disk-faults'
import { findSources, isSystemFile } from '#host/sources'
import type { Matches } from '#transfers/patterns'

/** A file or folder that lies directly in a watched folder. */
export interface Entry {
  readonly name: string
  readonly path: string
  readonly kind: 'file' | 'directory'
  /** What tells it from another one that takes its name later, and stays when it is renamed. */
  readonly mark: string
}

/** What lies in a watched folder now, by name. Links are nobody's folder and are left alone. */
export async function entriesIn(folder: string): Promise<readonly Entry[]> {
  const names = await telling(sourceFault, folder, () => readdir(folder))
  const entries: Entry[] = []
  for (const name of names.sort()) {
    if (isSystemFile(name)) continue
    const path = join(folder, name)
    // Many programs write under another name first: what is gone by now is no matter.
    const stats = await lstat(path, { bigint: true }).catch((error: unknown) => {
      if (errorCode(error) === 'ENOENT') return undefined
      throw sourceFault(error, path)
    })
    if (stats === undefined || !(stats.isFile() || stats.isDirectory())) continue
    // Without the number of the device: that is another one each time a share is mounted.
    const mark = `${stats.ino}:${stats.birthtimeNs}`
    entries.push({ name, path, kind: stats.isFile() ? 'file' : 'directory', mark })
  }
  return entries
}

/** A short text that is another one whenever something in an entry is added, taken away, renamed or written to. */
export interface Print {
  readonly print: string
  readonly files: number
}

/** Of all that would be sent. Undefined where the entry is gone. */
export async function printOf(path: string, isLeftOut: Matches): Promise<Print | undefined> {
  const hash = createHash('sha256')
  let files = 0
  try {
    for await (const found of findSources([path])) {
      if (found.kind === 'skipped') continue
      const { kind, size, lastModified } = found.source
      const place = fullPath(found.source)
      if (isLeftOut(place, kind)) continue
      // The time of a folder says only that something was added, maybe something that is left out.
      hash.update(JSON.stringify(kind === 'file' ? [place, size, lastModified] : [place]))
      if (kind === 'file') files++
    }
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'source_gone') return undefined
    throw error
  }
  return { print: hash.digest('base64url'), files }
}
