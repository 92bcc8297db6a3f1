import { chunkSizeFor, defaultChunkSize } from '@longshore/contract/limits'
import { fullPath, type Place } from '@longshore/contract/names'
import { newId } from '@longshore/kit/ids'
import { authorizeForPackage, type HeldPackage } from '#domain/access/authorize'
import type { Caller } from '#domain/access/caller'
import type { Cx } from '#domain/cx'
import { createOnce, type Once } from '#domain/idempotency'
import { checkChunkSize } from '#domain/packages/create-team-package'
import { noSuchPackage, packageNotNew } from '#domain/packages/refusals'
import { announceProgress } from '#domain/realtime/announce'
import { invalid, Refusal } from '#domain/refusal'
import { readTime } from '#domain/times'
import type { Tx } from '#platform/db'
import { type FileRow, insertFiles, type NewFile } from '#store/files'
import { insertSources } from '#store/imports'
import { lockPackage, noteActivity, type PackageRow } from '#store/packages'
import { entriesAt, foldersInUse, readByIndex } from '#store/places'
import { transferById } from '#store/transfers'
import { foldersAbove, refusedPlace } from './names.ts'
import { newObjectKey } from './object-key.ts'
import { presentAddedFile } from './present.ts'
import { admitNewFiles } from './restrictions.ts'

export interface FileFields {
  readonly kind: 'file' | 'directory'
  readonly name: string
  readonly path: string
  readonly last_modified: string
  readonly size?: number
  readonly chunk_size?: number
}

type Needs = Pick<Cx, 'db' | 'box' | 'blueprints'>

/** Adds one file or directory and answers the request that opens its upload in storage. */
export async function addFile(cx: Needs, caller: Caller, packageId: string, given: FileFields, once?: Once) {
  const held = await authorizeForPackage(cx, caller, 'package.fill', packageId)
  const file = planFile(held.pkg, given, { inOnePut: false })
  return createOnce(cx, once, async (tx) => {
    const [row] = await addByCaller(tx, held, [file])
    if (row === undefined) throw new Error('The file was added and is not there.')
    return presentAddedFile(row, row.object_key === null ? null : cx.blueprints.createUpload(row.object_key))
  })
}

/** Adds many entries, all or none. A file of at most one chunk gets the one request that stores it whole. */
export async function addFiles(
  cx: Needs,
  caller: Caller,
  packageId: string,
  given: readonly FileFields[],
  once?: Once,
) {
  const held = await authorizeForPackage(cx, caller, 'package.fill', packageId)
  const files = given.map((file, index) => planFile(held.pkg, file, { inOnePut: true, field: `files/${index}/` }))
  return createOnce(cx, once, async (tx) => {
    const rows = new Map((await addByCaller(tx, held, files)).map((row) => [row.id, row]))
    return {
      files: files.map(({ id }) => {
        const row = rows.get(id)
        if (row === undefined) throw new Error('The file was added and is not there.')
        const key = row.object_key
        return {
          ...presentAddedFile(row, key === null || row.single_put ? null : cx.blueprints.createUpload(key)),
          put_blueprint: key !== null && row.single_put ? cx.blueprints.put(key, row.size ?? 0) : null,
        }
      }),
    }
  })
}

function planFile(pkg: PackageRow, given: FileFields, how: { inOnePut: boolean; field?: string }): NewFile {
  const { field = '' } = how
  const fault = refusedPlace(given, field)
  if (fault !== undefined) throw fault
  const lastModified = readTime(`${field}last_modified`, given.last_modified)
  if (lastModified === null) throw invalid(`${field}last_modified`, 'must be a real time')
  const id = newId()
  const place = { id, path: given.path, name: given.name, lastModified }
  if (given.kind === 'directory') {
    // Nothing to store, so nothing to wait for.
    return { ...place, kind: 'directory', size: 0, chunkSize: 0, state: 'finalized', singlePut: false, objectKey: null }
  }
  checkChunkSize(given.chunk_size)
  const chunkSize = chunkSizeFor(given.chunk_size || pkg.chunk_size || defaultChunkSize, given.size)
  return {
    ...place,
    kind: 'file',
    size: given.size ?? null,
    chunkSize,
    state: 'new',
    singlePut: how.inOnePut && given.size !== undefined && given.size <= chunkSize,
    objectKey: newObjectKey(pkg.team_id, pkg.id, id),
  }
}

/** What an agent brings for an import is noted as that, so that the rest can be taken back when the agent is away. */
async function addByCaller(tx: Tx, { pkg, caller }: HeldPackage, files: readonly NewFile[]): Promise<FileRow[]> {
  if (caller.transferId !== undefined) {
    const transfer = await transferById(tx, pkg.team_id, caller.transferId)
    if (transfer?.state !== 'started') {
      throw new Refusal('token_revoked', 'The import that this token was given for has ended.')
    }
    const sources = files.filter(({ kind }) => kind === 'file').map(({ id }) => ({ id, etag: '' }))
    await insertSources(tx, transfer, sources)
  }
  return addEntries(tx, pkg, files)
}

/** Puts entries into the list of an open package, all or none. */
export async function addEntries(tx: Tx, pkg: PackageRow, files: readonly NewFile[]): Promise<FileRow[]> {
  const locked = await lockPackage(tx, pkg.team_id, pkg.id)
  if (locked === undefined) throw noSuchPackage(pkg.id)
  if (locked.state !== 'new') throw packageNotNew(pkg.id, locked.state)
  if (locked.stale) await noteActivity(tx, pkg.team_id, pkg.id)
  refuseClashesInside(files)
  await refuseClashes(tx, pkg, files)
  await admitNewFiles(tx, pkg, locked, files)
  announceProgress(tx, pkg.team_id, pkg.id)
  return insertFiles(tx, pkg.team_id, pkg.id, files)
}

const clash = (place: Place, why: string) =>
  new Refusal('duplicate_path', `'${fullPath(place)}' ${why}. Remove it first or choose another name.`)

const thereAlready = 'is in the package already'
const fileForFolder = 'would have to be a folder, but is a file'
const folderForFile = 'is a folder with entries, so no file can stand there'

/** Two entries of one call at the same place, or one below a file of the same call. */
function refuseClashesInside(files: readonly NewFile[]): void {
  const kinds = new Map<string, 'file' | 'directory'>()
  for (const file of files) {
    const full = fullPath(file)
    if (kinds.has(full)) throw clash(file, thereAlready)
    kinds.set(full, file.kind)
  }
  for (const folder of foldersOf(files).values()) {
    if (kinds.get(fullPath(folder)) === 'file') throw clash(folder, fileForFolder)
  }
}

/** The same against what the package has. Its row is locked, so nobody adds anything in between. */
async function refuseClashes(tx: Tx, pkg: PackageRow, files: readonly NewFile[]): Promise<void> {
  await readByIndex(tx)
  const taken = await entriesAt(tx, pkg.team_id, pkg.id, files)
  if (taken[0] !== undefined) throw clash(taken[0], thereAlready)

  const folders = [...foldersOf(files).values()]
  if (folders.length > 0) {
    const above = await entriesAt(tx, pkg.team_id, pkg.id, folders)
    const file = above.find((entry) => entry.kind === 'file')
    if (file !== undefined) throw clash(file, fileForFolder)
  }

  const paths = files.filter((file) => file.kind === 'file').map(fullPath)
  const inUse = paths.length === 0 ? [] : await foldersInUse(tx, pkg.team_id, pkg.id, paths)
  if (inUse[0] !== undefined) throw clash({ path: '', name: inUse[0].folder }, folderForFile)
}

const foldersOf = (files: readonly NewFile[]): ReadonlyMap<string, Place> =>
  new Map([...new Set(files.map((file) => file.path))].flatMap(foldersAbove).map((place) => [fullPath(place), place]))
