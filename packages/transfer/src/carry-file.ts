import { fileAdder, removeFile, takeOut } from './add-files.ts'
import { asKnown, type KnownBefore, planned } from './earlier-runs.ts'
import { type Fault, judge } from './faults.ts'
import { fileFinalizer } from './finalize-files.ts'
import { createGate } from './gate.ts'
import type { Turn } from './lane-pool.ts'
import type { Claim, Look, SourceFile } from './ports.ts'
import { pauseAfter } from './retry.ts'
import { uploadFile } from './upload-file.ts'
import { remedyFor } from './upload-remedy.ts'
import type { Planned, UploadRun } from './upload-run.ts'
import { sleep } from './waits.ts'

/** Brings one file all the way into the package. Answers the fault that kept it out, where there is one. */
export type CarryFile = (source: SourceFile, order: number) => Promise<Fault | undefined>

/** How far a file is on its way. */
interface Way {
  readonly source: SourceFile
  readonly turn: Turn
  /** What it is to be added as; undefined where the source has to be looked at anew. */
  readonly look: Look | undefined
  /** How often the source had changed in this run. */
  readonly restarts: number
  /** As the package knows it; undefined before it is added. */
  readonly file: Planned | undefined
  readonly knownBefore: boolean
}

export function createCarrier(run: UploadRun, knownBefore: KnownBefore): CarryFile {
  const { host, signal } = run
  const add = fileAdder(run)
  const finalize = fileFinalizer(run)
  // As many files as there are lanes, and a few that are being opened or closed meanwhile.
  const seats = createGate(() => host.lanes.limit() + 4, signal)

  const bytesOf = async (file: Planned): Promise<Claim> => {
    await seats.enter()
    try {
      run.tell(file.source.n, { state: 'transferring' })
      return await uploadFile(run, file)
    } finally {
      seats.leave()
    }
  }

  const addNow = async ({ source, turn, look = source }: Way): Promise<Planned> => {
    const added = await add({ source, look })
    return { ...planned(source, look, turn), ...asKnown(added) }
  }

  /** Goes on from wherever the file is. Each stage is remembered in `way`, for whoever has to mend it. */
  const goOn = async (way: { now: Way }): Promise<void> => {
    if (way.now.file === undefined) {
      const look = way.now.look ?? (await lookAt(way.now.source))
      const file = await addNow({ ...way.now, look })
      way.now = { ...way.now, look, file }
    }
    const { source, file } = way.now
    if (file !== undefined && source.kind === 'file') await finalize({ n: source.n, claim: await bytesOf(file) })
  }

  return async (source, order) => {
    const turn = { priority: run.priority, order }
    const file = await knownBefore(source, turn)
    const way: { now: Way } = {
      now: { source, turn, look: file?.look ?? source, restarts: 0, file, knownBefore: file !== undefined },
    }
    for (let attempt = 0; ; attempt++) {
      try {
        await goOn(way)
        run.tell(source.n, { state: 'complete' })
        return undefined
      } catch (error) {
        signal.throwIfAborted()
        const fault = judge(error)
        const next = await mend(run, way.now, fault, attempt)
        if (next === 'end') throw error
        if (next === 'done') {
          await run.note({ kind: 'done', ns: [source.n] })
          run.tell(source.n, { state: 'complete' })
          return undefined
        }
        if (next === undefined) {
          run.tell(source.n, { state: 'error', fault })
          return fault
        }
        way.now = next
      }
    }
  }
}

/** What a file's way is after a fault; undefined where it ends here. */
async function mend(
  run: UploadRun,
  way: Way,
  fault: Fault,
  attempt: number,
): Promise<Way | 'end' | 'done' | undefined> {
  const { source, file, restarts, knownBefore } = way
  const remedy = remedyFor(fault, { attempt, restarts, chunked: file?.chunked ?? false, knownBefore })
  if (remedy === 'end' || remedy === 'done') return remedy
  if (remedy === 'clear its place') {
    await takeOut(run, [source])
    return { ...way, file: undefined, knownBefore: false }
  }
  if (remedy === 'give up' || file === undefined) return undefined
  if (attempt > 0) await sleep(run.host.clock, pauseAfter(attempt, run.host.chance()), run.signal)
  if (remedy === 'look again') return { ...way, file: { ...file, resumed: true, claim: undefined } }
  await removeFile(run, file.id)
  return remedy === 'restart'
    ? { ...way, look: undefined, restarts: restarts + 1, file: undefined }
    : { ...way, file: undefined }
}

async function lookAt(source: SourceFile): Promise<Look> {
  const open = await source.open()
  const { size, lastModified, identity } = open
  await open.close()
  return { size, lastModified, identity }
}
