import type { BigIntStats } from 'node:fs'
import { lstat, readdir, realpath, stat } from 'node:fs/promises'
import { basename, join, resolve, sep } from 'node:path'
import { fullPath, type Place, placeFault } from '@longshore/contract/names'
import { errorCode, sourceFault } from '#host/disk-faults'
import { type FoundSource, lookOf } from '#host/source-file'

/** What is below a given path and is not sent, with the reason in words. */
export interface SkippedSource extends Place {
  readonly local: string
  readonly reason: string
}

export type Found =
  | { readonly kind: 'source'; readonly source: FoundSource }
  | { readonly kind: 'skipped'; readonly skipped: SkippedSource }

// Folders of every system are full of them, and nobody means to send them.
const systemFiles = new Set(['.ds_store', 'desktop.ini', 'thumbs.db'])

/** Whether a name is one that operating systems give to files of their own. */
export const isSystemFile = (name: string): boolean => systemFiles.has(name.toLowerCase())

/**
 * Walks through files and folders that somebody wants to send, in the order in which they were named, each folder by
 * name. A folder comes before what is in it, and its own name is the outermost folder in the package.
 *
 * Holds the names of one folder on each level and nothing else, so a hundred thousand files need no more memory than
 * their largest folder. Throws `HostFault` where a named path is not there or cannot be read; whatever is below it is
 * reported instead.
 */
export async function* findSources(paths: readonly string[]): AsyncGenerator<Found> {
  const taken = new Set<string>()
  for (const given of paths) {
    const root = await realpath(given).catch((error: unknown) => {
      throw sourceFault(error, given)
    })
    const name = basename(resolve(given))
    const place = { path: '', name }
    // Two folders of the same name would be poured into one.
    if (taken.has(name)) yield skip(given, place, `Another path with the name '${name}' is sent already.`)
    else yield* below({ root, local: root, place, given: true })
    taken.add(name)
  }
}

interface Entry {
  /** The given path, as it really is: nothing outside of it is sent. */
  readonly root: string
  readonly local: string
  readonly place: Place
  readonly given: boolean
}

async function* below(entry: Entry): AsyncGenerator<Found> {
  const { local, place } = entry
  if (!entry.given && isSystemFile(place.name)) {
    yield skip(local, place, 'Made by the operating system for itself.')
    return
  }
  const fault = placeFault(place)
  if (fault !== undefined) {
    yield skip(local, place, `A ${fault.field} in a package ${fault.reason}.`)
    return
  }
  try {
    const stats = await lstat(local, { bigint: true })
    if (stats.isSymbolicLink()) yield await behindLink(entry)
    else if (stats.isDirectory()) yield* folder(entry, stats)
    else if (stats.isFile()) yield { kind: 'source', source: { kind: 'file', ...place, local, ...lookOf(stats) } }
    else yield skip(local, place, 'Neither a file nor a folder.')
  } catch (error) {
    const told = sourceFault(error, local)
    if (entry.given || errorCode(error) === undefined) throw told
    yield skip(local, place, (told as Error).message)
  }
}

async function* folder(entry: Entry, stats: BigIntStats): AsyncGenerator<Found> {
  const { root, local, place } = entry
  const names = await readdir(local)
  yield { kind: 'source', source: { kind: 'directory', ...place, local, ...lookOf(stats) } }
  // By code units: the same in every language and on every machine.
  names.sort()
  const path = fullPath(place)
  for (const name of names) yield* below({ root, local: join(local, name), place: { path, name }, given: false })
}

/**
 * A link to a file inside the given path is sent as that file. One to a folder inside is not followed, since everything
 * in there is sent under its own name, and a link to a folder above it would never end.
 */
async function behindLink({ root, local, place }: Entry): Promise<Found> {
  try {
    const target = await realpath(local)
    if (target !== root && !target.startsWith(root.endsWith(sep) ? root : root + sep)) {
      return skip(local, place, 'A link that leads out of the folder that is sent.')
    }
    const stats = await stat(target, { bigint: true })
    if (stats.isDirectory()) return skip(local, place, 'A link to a folder that is sent under its own name.')
    if (!stats.isFile()) return skip(local, place, 'A link to something that is neither a file nor a folder.')
    return { kind: 'source', source: { kind: 'file', ...place, local: target, ...lookOf(stats) } }
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return skip(local, place, 'A link to something that is not there.')
    if (errorCode(error) === 'ELOOP') return skip(local, place, 'A link that leads back to itself.')
    throw error
  }
}

export const skip = (local: string, place: Place, reason: string): Found => ({
  kind: 'skipped',
  skipped: { local, ...place, reason },
})
