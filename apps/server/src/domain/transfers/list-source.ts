import { chunkSizeFor, maxFileSize } from '@longshore/contract/limits'
import { fullPath, type Place, placeFault } from '@longshore/contract/names'
import { newId } from '@longshore/kit/ids'
import { crashPoint } from '@longshore/kit/crash-point'
import type { ForeignStore, SourceObject } from '#blob/foreign-store'
import { inLanes } from '#domain/at-once'
import type { Cx } from '#domain/cx'
import { addEntries } from '#domain/uploads/add-files'
import { newObjectKey } from '#domain/uploads/object-key'
import type { Tx } from '#platform/db'
import type { NewFile } from '#store/files'
import { broughtTo, insertSources, type Listed, noteListed, wantedPaths } from '#store/imports'
import type { PackageRow } from '#store/packages'
import { readByIndex } from '#store/places'
import type { TransferRow } from '#store/transfers'
import { isFolder, placeOf } from './import-paths.ts'
import { shown, SourceFault } from './import-faults.ts'
import { leaseSeconds, Stopped } from './lease.ts'
import { inFolder } from './target-names.ts'

// Objects that are looked up one by one, and so many of them at once.
const lookUps = 100
const lookUpsAtOnce = 8

// A million files, and the pages that they come in. A store that somebody made up could list for ever.
const mostFound = 1_010_000

interface Import {
  readonly transfer: TransferRow
  readonly pkg: PackageRow
  readonly store: ForeignStore
}

/**
 * Puts everything that an import wants into the list of its package, before any of it is fetched: what cannot be in a
 * package is told at once, and how much there is, too. Entries that the import has brought before are left as they are.
 */
export async function listSource(cx: Pick<Cx, 'db' | 'settings'>, voyage: Import, signal: AbortSignal): Promise<void> {
  const { transfer, pkg, store } = voyage
  let reached = { size: 0, progress: 0, listed: false }
  let found = 0
  const note = async (tx: Tx, now: Listed) => {
    if (!(await noteListed(tx, transfer, now, leaseSeconds))) throw new Stopped('not-ours')
    return now
  }
  for await (const objects of wantedObjects(store, transfer.folder, await wantedPaths(cx.db, transfer))) {
    signal.throwIfAborted()
    // Pages without anything count, too: there could be endless ones.
    found += objects.length + 1
    if (found > mostFound) throw new SourceFault('There is too much in it. Import it in parts.')
    const files = objects.map((object) => planFile(cx, pkg, transfer.folder, object))
    reached = await cx.db.transaction(async (tx) => {
      const { arrived, added } = await addMissing(tx, voyage, files)
      const [size, progress] = [reached.size + arrived + added, reached.progress + arrived]
      return note(tx, { size, progress, listed: false })
    })
    crashPoint('import.page')
  }
  await cx.db.transaction((tx) => note(tx, { ...reached, listed: true }))
}

/** Adds those that the import has not brought before. Answers the bytes of those that it has, and of those it has not. */
async function addMissing(tx: Tx, { transfer, pkg }: Import, files: readonly PlannedFile[]) {
  await readByIndex(tx)
  const brought = await broughtTo(tx, transfer, files)
  const there = new Set(brought.map(fullPath))
  const missing = files.filter((file) => !there.has(fullPath(file)))
  await addEntries(tx, pkg, missing)
  await insertSources(tx, transfer, missing)
  return { arrived: bytesOf(brought), added: bytesOf(missing) }
}

const bytesOf = (files: readonly { readonly size: number }[]) => files.reduce((sum, { size }) => sum + size, 0)

/** What is wanted, some at a time. Throws for a path at which there is nothing. */
async function* wantedObjects(
  store: ForeignStore,
  folder: string,
  paths: readonly string[],
): AsyncGenerator<readonly SourceObject[]> {
  const root = folder === '' ? '' : `${folder}/`
  const files = paths.filter((path) => !isFolder(path))
  for (let from = 0; from < files.length; from += lookUps) {
    yield await lookedUp(store, folder, files.slice(from, from + lookUps))
  }
  for (const path of paths.filter(isFolder)) {
    let found = 0
    for await (const page of store.listAll(`${root}${path}`)) {
      // The folder that everything is below, where somebody made an object of it.
      const inside = page.filter(({ key }) => key !== root)
      found += inside.length
      yield inside
    }
    const place = `${root}${path}`
    if (found === 0)
      throw new SourceFault(place === '' ? 'There is nothing in it.' : `There is nothing in '${shown(place)}'.`)
  }
}

async function lookedUp(store: ForeignStore, folder: string, paths: readonly string[]): Promise<SourceObject[]> {
  const found: SourceObject[] = []
  await inLanes(paths, lookUpsAtOnce, async (path) => {
    const key = inFolder(folder, path)
    const object = await store.head(key)
    if (object === undefined) throw new SourceFault(`There is no '${shown(key)}'.`)
    found.push({ key, ...object })
  })
  return found
}

/** An entry of the package, and which object it is. */
interface PlannedFile extends NewFile {
  readonly size: number
  readonly etag: string
}

/** By custom an empty object with a slash behind its name stands for a folder. */
function planFile(
  cx: Pick<Cx, 'settings'>,
  pkg: PackageRow,
  folder: string,
  { key, size, etag, modifiedAt }: SourceObject,
): PlannedFile {
  const full = folder === '' ? key : key.slice(folder.length + 1)
  const isMarker = full.endsWith('/')
  const place = placeOf(isMarker ? full.slice(0, -1) : full)
  expectPossible(key, place)
  if (!(size >= 0 && size <= maxFileSize)) throw new SourceFault(`'${shown(key)}' has a size that no file can have.`)
  if (isMarker && size > 0) throw new SourceFault(`'${shown(key)}' has the name of a folder and the content of a file.`)
  const entry = { id: newId(), ...place, lastModified: modifiedAt, size, etag }
  if (isMarker) {
    return { ...entry, kind: 'directory', chunkSize: 0, state: 'finalized', singlePut: false, objectKey: null }
  }
  const chunkSize = chunkSizeFor(cx.settings.transferPartBytes, size)
  const objectKey = newObjectKey(pkg.team_id, pkg.id, entry.id)
  return { ...entry, kind: 'file', chunkSize, state: 'new', singlePut: size <= chunkSize, objectKey }
}

function expectPossible(key: string, place: Place): void {
  const fault = placeFault(place)
  if (fault === undefined) return
  throw new SourceFault(`'${shown(key)}' cannot be in a package: its ${fault.field} ${fault.reason}.`)
}
