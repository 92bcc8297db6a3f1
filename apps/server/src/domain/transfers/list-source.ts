import { chunkSizeFor } from '@longshore/contract/limits'
import { fullPath, type Place, placeFault } from '@longshore/contract/names'
import { newId } from '@longshore/kit/ids'
import { crashPoint } from '@longshore/kit/crash-point'
import type { ForeignStore, SourceObject } from '#blob/foreign-store'
import { inLanes } from '#domain/at-once'
import type { Cx } from '#domain/cx'
import { addEntries } from '#domain/uploads/add-files'
import { newObjectKey } from '#domain/uploads/object-key'
import type { NewFile } from '#store/files'
import { broughtTo, insertSources, noteListed, wantedPaths } from '#store/imports'
import type { PackageRow } from '#store/packages'
import type { TransferRow } from '#store/transfers'
import { isFolder, placeOf } from './import-paths.ts'
import { shown, SourceFault } from './import-faults.ts'
import { leaseSeconds, Stopped } from './lease.ts'
import { inFolder } from './target-names.ts'

// Objects that are looked up one by one, and so many of them at once.
const lookUps = 100
const lookUpsAtOnce = 8

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
  const paths = await wantedPaths(cx.db, transfer)
  for await (const objects of wantedObjects(store, transfer.folder, paths)) {
    signal.throwIfAborted()
    const entries = objects.map((object) => ({ object, file: planEntry(cx, pkg, transfer.folder, object) }))
    const page = await cx.db.transaction(async (tx) => {
      const there = new Map(
        (
          await broughtTo(
            tx,
            transfer,
            entries.map(({ file }) => file),
          )
        ).map((entry) => [fullPath(entry), entry.size]),
      )
      const missing = entries.filter(({ file }) => !there.has(fullPath(file)))
      await addEntries(
        tx,
        pkg,
        missing.map(({ file }) => file),
      )
      const sources = missing.map(({ file, object }) => ({ file_id: file.id, source_etag: object.etag }))
      await insertSources(tx, transfer, sources)
      const arrived = [...there.values()].reduce((sum, size) => sum + size, 0)
      const more = missing.reduce((sum, { object }) => sum + object.size, arrived)
      const now = { size: reached.size + more, progress: reached.progress + arrived, listed: false }
      if (!(await noteListed(tx, transfer, now, leaseSeconds))) throw new Stopped('not-ours')
      return now
    })
    reached = page
    crashPoint('import.page')
  }
  const isNoted = await cx.db.transaction((tx) => noteListed(tx, transfer, { ...reached, listed: true }, leaseSeconds))
  if (!isNoted) throw new Stopped('not-ours')
}

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
      if (inside.length > 0) yield inside
    }
    if (found === 0) throw new SourceFault(`There is nothing in '${shown(`${root}${path}`)}'.`)
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

/** An object as an entry of the package. By custom an empty one with a slash behind its name stands for a folder. */
function planEntry(
  cx: Pick<Cx, 'settings'>,
  pkg: PackageRow,
  folder: string,
  { key, size, modifiedAt }: SourceObject,
): NewFile {
  const full = folder === '' ? key : key.slice(folder.length + 1)
  const isMarker = full.endsWith('/')
  const place = placeOf(isMarker ? full.slice(0, -1) : full)
  expectPossible(key, place)
  if (isMarker && size > 0) throw new SourceFault(`'${shown(key)}' has the name of a folder and the content of a file.`)
  const id = newId()
  const entry = { id, ...place, lastModified: modifiedAt, size }
  if (isMarker) {
    return { ...entry, kind: 'directory', chunkSize: 0, state: 'finalized', singlePut: false, objectKey: null }
  }
  const chunkSize = chunkSizeFor(cx.settings.transferPartBytes, size)
  const objectKey = newObjectKey(pkg.team_id, pkg.id, id)
  return { ...entry, kind: 'file', chunkSize, state: 'new', singlePut: size <= chunkSize, objectKey }
}

function expectPossible(key: string, place: Place): void {
  const fault = placeFault(place)
  if (fault === undefined) return
  throw new SourceFault(`'${shown(key)}' cannot be in a package: its ${fault.field} ${fault.reason}.`)
}
