import { Fault, judge } from './faults.ts'
import { gather } from './gather.ts'
import { chunkSizeToGrow } from './plan.ts'
import type { AddedFile, Chance, Look, SourceFile } from './ports.ts'
import { persistCall } from './retry.ts'
import type { Adding, AddedNote, Batch } from './upload-journal.ts'
import type { UploadRun } from './upload-run.ts'

/** A file that is to be added to the package, as it looked last. */
export interface Wanted {
  readonly source: SourceFile
  readonly look: Look
}

// The server takes a thousand. Half of that keeps a reply with its addresses under a megabyte.
const mostInOneCall = 500
const lingerMs = 10
const more = { enough: 100, waitMs: 250 }

/** Adds files to the package, many by one call. */
export function fileAdder(run: UploadRun): (wanted: Wanted) => Promise<AddedFile> {
  return gather(run.host.clock, run.signal, { most: mostInOneCall, lingerMs, more }, (wanted) =>
    addBatch(run, wanted.map(asAdding)),
  )
}

const asAdding = ({ source, look }: Wanted): Adding => ({
  n: source.n,
  identity: look.identity,
  file: {
    kind: source.kind,
    name: source.name,
    path: source.path,
    last_modified: look.lastModified,
    ...(source.kind === 'file' && source.growth === undefined ? { size: look.size } : {}),
    ...chunkSizeOf({ source, look }),
  },
})

const chunkSizeOf = ({ source: { growth, chunkSize }, look }: Wanted) => {
  if (growth !== undefined) return { chunk_size: chunkSizeToGrow(chunkSize, growth.plannedSize, look.size) }
  return chunkSize === undefined ? {} : { chunk_size: chunkSize }
}

async function addBatch(run: UploadRun, files: readonly Adding[]): Promise<readonly (AddedFile | Error)[]> {
  const batch: Batch = { key: newKey(run.host.chance), files, added: undefined }
  await run.note({ kind: 'adding', key: batch.key, files })
  try {
    return await callFor(run, batch)
  } catch (error) {
    const fault = refusalIn(run, error)
    if (files.length === 1) return [fault]
    // All are added, or none: whom the refusal means is found by halving.
    const half = files.length >>> 1
    return [...(await addBatch(run, files.slice(0, half))), ...(await addBatch(run, files.slice(half)))]
  }
}

async function callFor(run: UploadRun, batch: Batch): Promise<readonly AddedFile[]> {
  const { calls } = run.host
  const bodies = batch.files.map(({ file }) => file)
  const added = await persistCall(run.host, run.signal, (signal) => calls.addFiles(bodies, batch.key, signal))
  run.reach.addressed()
  await run.note({ kind: 'added', key: batch.key, files: added.map(asNote) })
  return added
}

const asNote = ({ file, create_blueprint: create }: AddedFile): AddedNote => ({
  id: file.id,
  chunkSize: file.chunk_size,
  chunked: create !== null,
})

/** The reply to a call of an earlier run, once more. Undefined where the server has forgotten its key. */
export async function addedBefore(run: UploadRun, batch: Batch): Promise<readonly AddedFile[] | undefined> {
  try {
    return await callFor(run, batch)
  } catch (error) {
    refusalIn(run, error)
    return undefined
  }
}

/** The fault of a call that was refused for what it asked; anything else is thrown on. */
function refusalIn(run: UploadRun, error: unknown): Fault {
  run.signal.throwIfAborted()
  const fault = judge(error)
  if (fault.verdict !== 'permanent') throw error
  return fault
}

/**
 * Takes out of the package what a call whose reply nobody knows has put at these places. What is finalized stays: that
 * was somebody who knew what they had.
 */
export async function takeOut(run: UploadRun, files: readonly Place[]): Promise<void> {
  const { calls } = run.host
  const places = new Set(files.map(placeOf))
  const listed = await persistCall(run.host, run.signal, (signal) => calls.listFiles(signal))
  for (const file of listed) {
    const unfinished = file.kind === 'directory' || file.state !== 'finalized'
    if (unfinished && places.has(placeOf(file))) await removeFile(run, file.id)
  }
}

interface Place {
  readonly path: string
  readonly name: string
}

const placeOf = ({ path, name }: Place) => `${path}/${name}`

/** Takes a file out of the package; one that is not there any more is fine. */
export async function removeFile(run: UploadRun, id: string): Promise<void> {
  const { calls } = run.host
  try {
    await persistCall(run.host, run.signal, (signal) => calls.removeFile(id, signal))
  } catch (error) {
    if (!(error instanceof Fault) || error.code !== 'file_not_found') throw error
  }
}

/** 128 bits of chance, as hex. */
function newKey(chance: Chance): string {
  const word = () =>
    Math.floor(chance() * 2 ** 32)
      .toString(16)
      .padStart(8, '0')
  return word() + word() + word() + word()
}
