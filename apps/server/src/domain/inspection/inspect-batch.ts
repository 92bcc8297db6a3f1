import { crashPoint } from '@longshore/kit/crash-point'
import { inLanes } from '#domain/at-once'
import type { Cx } from '#domain/cx'
import { recordEvent } from '#domain/events/record-event'
import {
  type Inspected,
  noteInspected,
  postponeInspection,
  takeUninspected,
  type UninspectedFile,
} from '#store/inspections'
import { flagInfected, lockPackage, packageById } from '#store/packages'
import { inspectFile } from './inspect-file.ts'
import { settleInspection } from './settle-inspection.ts'

// Small files are taken by the handful, so that taking them and noting them costs little beside reading them; a large
// one is taken alone, so that no small one waits for it.
const smallest = -1
const small = 8 * 1024 * 1024
const largest = Number.MAX_SAFE_INTEGER
const handful = 32
const atOnce = 4

// A worker that dies is noticed within the minute that we promise.
const leaseSeconds = 40
const renewEveryMs = 12_000
// Storage or scanner are away. They are asked again, but not all the time.
const troublePauseSeconds = 30

export type Share = 'small' | 'large'

/** Takes files that wait for inspection: some small ones, or one large one. */
export const takeBatch = (cx: Pick<Cx, 'db'>, share: Share): Promise<UninspectedFile[]> =>
  cx.db.transaction((tx) =>
    takeUninspected(tx, {
      leaseSeconds,
      ...(share === 'small'
        ? { limit: handful, above: smallest, upTo: small }
        : { limit: 1, above: small, upTo: largest }),
    }),
  )

/**
 * Inspects files that were taken, and notes what was found. A process that dies in between leaves them to be inspected
 * again: nothing is noted before it is known.
 */
export async function inspectBatch(
  cx: Pick<Cx, 'db' | 'blob' | 'scanner' | 'queue' | 'settings' | 'log'>,
  taken: readonly UninspectedFile[],
  signal: AbortSignal,
): Promise<void> {
  const renewal = setInterval(() => {
    void cx.db
      .transaction((tx) => postponeInspection(tx, taken, leaseSeconds))
      .catch((err: unknown) => cx.log.warn({ err }, 'lease of an inspection not renewed'))
  }, renewEveryMs)
  const found: { readonly file: UninspectedFile; readonly inspected: Inspected }[] = []
  const unread: UninspectedFile[] = []
  const inspect = async (file: UninspectedFile) => {
    try {
      found.push({ file, inspected: await inspectFile(cx, file, signal) })
    } catch (err) {
      unread.push(file)
      if (!signal.aborted) cx.log.warn({ err, package_id: file.package_id, file_id: file.id }, 'file not inspected')
    }
  }
  try {
    await inLanes(taken, atOnce, inspect)
  } finally {
    clearInterval(renewal)
  }
  crashPoint('inspect.read')
  for (const group of Map.groupBy(found, ({ file }) => file.package_id).values()) await note(cx, group)
  if (unread.length > 0) {
    const pause = signal.aborted ? 0 : troublePauseSeconds
    await cx.db.transaction((tx) => postponeInspection(tx, unread, pause))
  }
}

/** Notes what was found in files of one package, and tells of what is wrong with them. */
async function note(
  cx: Pick<Cx, 'db' | 'queue' | 'settings' | 'log'>,
  group: readonly { readonly file: UninspectedFile; readonly inspected: Inspected }[],
): Promise<void> {
  const first = group[0]
  if (first === undefined) return
  const { team_id: teamId, package_id: packageId } = first.file
  await cx.db.transaction(async (tx) => {
    // Finalizing locks the package too: whichever comes second sees that everything is done.
    const locked = await lockPackage(tx, teamId, packageId)
    if (locked === undefined || (locked.state !== 'new' && locked.state !== 'finalized')) return
    const noted = await noteInspected(
      tx,
      teamId,
      packageId,
      group.map(({ inspected }) => inspected),
    )
    const flagged = group.filter(
      ({ inspected: { id, scan, damaged } }) => noted.has(id) && (damaged || scan === 'infected'),
    )
    if (flagged.some(({ inspected }) => inspected.scan === 'infected')) await flagInfected(tx, teamId, packageId)
    if (flagged.length > 0) {
      const pkg = await packageById(tx, teamId, packageId)
      if (pkg === undefined) return
      for (const { file, inspected } of flagged) {
        const about = { file: { id: file.id, path: file.path, name: file.name, size: file.size } }
        if (inspected.scan === 'infected') await recordEvent(tx, 'file.infected', pkg, about)
        if (inspected.damaged) {
          await recordEvent(tx, 'file.damaged', pkg, about)
          cx.log.error({ team_id: teamId, package_id: packageId, file_id: file.id }, 'stored file is not what was sent')
        }
      }
    }
    if (locked.state === 'finalized') await settleInspection(cx, tx, teamId, packageId)
  })
}
