import { lstat, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { fullPath, type Place, placeFault } from '@longshore/contract/names'
import { HostFault } from '@longshore/transfer/faults'
import { isPartName } from '#host/destination'
import { errorCode, sourceFault } from '#host/disk-faults'
import { enter, type Folder, openStanding } from '#host/folder'
import { lookOf } from '#host/source-file'
import { type Found, isSystemFile, skip } from '#host/sources'

/**
 * Walks through what is wanted below a folder of a root, for somebody who may see this root and nothing else. Every step
 * goes from a folder that is held open into the next, and none through a link. Names count from the folder; an empty path
 * is all that is in it.
 *
 * Throws `HostFault` where something wanted is not there or cannot be sent; what cannot be sent below it is reported.
 */
export async function* findBelow(root: string, folder: string, paths: readonly string[]): AsyncGenerator<Found> {
  for (const path of paths) {
    const full = path.replace(/\/$/, '')
    const slash = full.lastIndexOf('/')
    const place = { path: full.slice(0, Math.max(slash, 0)), name: full.slice(slash + 1) }
    const outer = await openBelow(root, [...namesIn(folder), ...namesIn(place.path)])
    try {
      if (full === '') yield* inside(outer, '')
      else yield* entry(outer, place, true)
    } finally {
      await outer.close()
    }
  }
}

const namesIn = (path: string): readonly string[] => (path === '' ? [] : path.split('/'))

async function openBelow(root: string, names: readonly string[]): Promise<Folder> {
  let folder = await openStanding(root)
  try {
    for (const name of names) {
      if (!isPlain(name)) throw new HostFault('source_gone', `'${name}' is no name of a folder.`)
      const outer = folder
      folder = await enter(outer, name)
      await outer.close()
    }
    return folder
  } catch (error) {
    await folder.close()
    throw sourceFault(error, join(root, ...names))
  }
}

/** Whoever asks is somewhere else: a name is one step down, and never one elsewhere. */
const isPlain = (name: string): boolean =>
  placeFault({ path: '', name }) === undefined && !(process.platform === 'win32' && name.includes(':'))

async function* inside(folder: Folder, path: string): AsyncGenerator<Found> {
  const names = await readdir(folder.at('.'))
  // By code units: the same in every language and on every machine.
  for (const name of names.filter((name) => !isPartName(name)).sort()) yield* entry(folder, { path, name }, false)
}

async function* entry(folder: Folder, place: Place, isWanted: boolean): AsyncGenerator<Found> {
  const local = join(folder.local, place.name)
  const leftOut = (reason: string): Found => {
    if (isWanted) throw new HostFault('source_unreadable', `'${local}' cannot be sent. ${reason}`)
    return skip(local, place, reason)
  }
  // Not even counted among what is left out: nobody misses what the operating system made for itself.
  if (!isWanted && isSystemFile(place.name)) return
  const fault = isPlain(place.name) ? placeFault(place) : { field: 'name', reason: 'must not lead elsewhere' }
  if (fault !== undefined) return yield leftOut(`A ${fault.field} in a package ${fault.reason}.`)
  try {
    const stats = await lstat(folder.at(place.name), { bigint: true })
    if (stats.isFile()) yield { kind: 'source', source: { kind: 'file', ...place, local, ...lookOf(stats) } }
    else if (stats.isDirectory()) {
      const inner = await enter(folder, place.name)
      try {
        yield { kind: 'source', source: { kind: 'directory', ...place, local, ...lookOf(stats) } }
        yield* inside(inner, fullPath(place))
      } finally {
        await inner.close()
      }
    } else yield leftOut(stats.isSymbolicLink() ? 'A link.' : 'Neither a file nor a folder.')
  } catch (error) {
    const told = sourceFault(error, local)
    if (isWanted || errorCode(error) === undefined) throw told
    yield skip(local, place, (told as Error).message)
  }
}
