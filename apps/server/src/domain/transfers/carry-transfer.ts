import { GiB } from '@longshore/contract/limits'
import type { ForeignKeys, ForeignStore } from '#blob/foreign-store'
import { ObjectGone, StorageRefusal, StorageTrouble } from '#blob/storage-errors'
import { gate, inLanes } from '#domain/at-once'
import { isLeftOut } from '#domain/archives/left-out'
import { openConnectionKeys, openTransferKeys } from '#domain/connections/authorization'
import { explainFault } from '#domain/connections/faults'
import type { Cx } from '#domain/cx'
import { packageFiles } from '#domain/downloads/package-files'
import { connectionOfTeam } from '#store/connections'
import type { PackageFile } from '#store/files'
import { inspectionOf } from '#store/inspections'
import { type PackageRow, packageById } from '#store/packages'
import {
  endTransfer,
  forgetFilesThrough,
  keepGoing,
  markStarted,
  noteTidied,
  postponeTidying,
  postponeTransfer,
  rememberedFiles,
  rememberFiles,
  takeDueTransfer,
  type TransferRow,
  transferById,
} from '#store/transfers'
import { Arrivals } from './arrivals.ts'
import { sendFile } from './send-file.ts'
import { surveyTransfer } from './survey.ts'
import { targetKey } from './target-names.ts'

// A worker that dies is noticed within the minute that we promise.
const leaseSeconds = 40
const tickMs = 1_000
// Requests to the other store, and files, at a time.
const atOnce = 8
// No store copies more in one request.
const copiesWholeUpTo = 5 * GiB
const inspectionPauseSeconds = 2
const firstPauseSeconds = 5
const longestPauseSeconds = 900
// With the pauses about half a day: whoever is away for longer is told.
const mostFailures = 50
const tidyTries = 8

type Needs = Pick<Cx, 'db' | 'box' | 'blob' | 'copier' | 'foreignStore' | 'settings' | 'log'>

export const packageGone = 'The package expired or was deleted before all of it had arrived.'

/** Why somebody stops carrying who could go on. */
class Stopped extends Error {
  readonly why: 'not-ours' | 'package-ended'
  constructor(why: Stopped['why']) {
    super(why)
    this.why = why
  }
}

/** Takes a transfer that something is to be done for. */
export const takeTransfer = (cx: Pick<Cx, 'db'>): Promise<TransferRow | undefined> =>
  cx.db.transaction((tx) => takeDueTransfer(tx, leaseSeconds))

/**
 * Carries a package to another store, or takes back what was begun there for one that was cancelled. Killed anywhere, it
 * falls due again and goes on: what has arrived is noted, or the other store knows it.
 */
export async function carryTransfer(cx: Needs, transfer: TransferRow, signal: AbortSignal): Promise<void> {
  const keys = await keysOf(cx, transfer)
  if (keys === undefined) {
    await end(cx, transfer, 'The cloud connection was deleted.', { tidy: false })
    // Of one that had ended before: without keys nothing can be taken back.
    return cx.db.transaction((tx) => noteTidied(tx, transfer))
  }
  const store = cx.foreignStore(keys)
  try {
    if (transfer.state !== 'pending' && transfer.state !== 'started') return await tidy(cx, transfer, store)
    const pkg = await packageById(cx.db, transfer.team_id, transfer.package_id)
    if (pkg?.state !== 'finalized') return await end(cx, transfer, packageGone, { tidy: true })
    // Nothing goes out that may turn out to have a virus.
    if (!(await inspectionOf(cx.db, pkg.team_id, pkg.id)).complete) {
      return await putOff(cx, transfer, inspectionPauseSeconds, transfer.failures)
    }
    await carry(cx, { transfer, pkg, keys, store }, signal)
  } finally {
    store.close()
  }
}

async function keysOf(cx: Needs, transfer: TransferRow): Promise<ForeignKeys | undefined> {
  if (transfer.authorization_sealed !== null) return openTransferKeys(cx, transfer.id, transfer.authorization_sealed)
  if (transfer.connection_id === null) return undefined
  const connection = await connectionOfTeam(cx.db, transfer.team_id, transfer.connection_id)
  return connection?.authorization_sealed
    ? openConnectionKeys(cx, connection.id, connection.authorization_sealed)
    : undefined
}

interface Voyage {
  readonly transfer: TransferRow
  readonly pkg: PackageRow
  readonly keys: ForeignKeys
  readonly store: ForeignStore
}

async function carry(cx: Needs, voyage: Voyage, shutdown: AbortSignal): Promise<void> {
  const { transfer, pkg } = voyage
  const startedAt = performance.now()
  try {
    if (!(await sendAll(cx, voyage, shutdown))) return
    await cx.db.transaction((tx) => endTransfer(tx, transfer, { state: 'complete', error: '', tidy: false }))
    cx.log.info(
      {
        team_id: pkg.team_id,
        package_id: pkg.id,
        transfer_id: transfer.id,
        ms: Math.round(performance.now() - startedAt),
      },
      'transfer complete',
    )
  } catch (error) {
    if (shutdown.aborted) return putOff(cx, transfer, 0, transfer.failures)
    await noteFailure(cx, voyage, error)
  }
}

async function noteFailure(cx: Needs, { transfer, store }: Voyage, error: unknown): Promise<void> {
  if (error instanceof Stopped && error.why === 'not-ours') {
    // Cancelled: what was begun is taken back at once, while we have the keys. Taken by another: it is theirs.
    const now = await transferById(cx.db, transfer.team_id, transfer.id)
    if (now?.run === transfer.run && (now.state === 'cancelled' || now.state === 'error')) await tidy(cx, now, store)
    return
  }
  const names = { team_id: transfer.team_id, package_id: transfer.package_id, transfer_id: transfer.id }
  cx.log.warn({ ...names, err: error, failures: transfer.failures }, 'transfer interrupted')
  if (error instanceof Stopped || error instanceof ObjectGone) return end(cx, transfer, packageGone, { tidy: true })
  const said = explainFault(error) ?? 'Something went wrong on our side.'
  const { failures = transfer.failures } = (await transferById(cx.db, transfer.team_id, transfer.id)) ?? {}
  if (error instanceof StorageRefusal || failures >= mostFailures) return end(cx, transfer, said, { tidy: true })
  await putOff(cx, transfer, Math.min(firstPauseSeconds * 2 ** failures, longestPauseSeconds), failures + 1)
}

/** Sends every file that has not arrived. Answers whether the transfer was still ours to begin with. */
async function sendAll(cx: Needs, { transfer, pkg, keys, store }: Voyage, shutdown: AbortSignal): Promise<boolean> {
  const remembered = new Map((await rememberedFiles(cx.db, transfer)).map((file) => [file.file_id, file]))
  const through = transfer.done_through ?? ''
  const hasArrived = (id: string) => id <= through || remembered.get(id)?.upload_id === null
  const survey = await surveyTransfer(cx, pkg, hasArrived)
  if (!(await cx.db.transaction((tx) => markStarted(tx, transfer, survey)))) return false

  const stop = new AbortController()
  const signal = AbortSignal.any([shutdown, stop.signal])
  const arrivals = new Arrivals()
  const keyOf = (file: PackageFile) => remembered.get(file.id)?.target_key ?? targetKey(transfer.folder, file)
  let progress = survey.progress

  const note = async () => {
    const ahead = arrivals.ahead()
    const doneThrough = arrivals.through
    const kept = await cx.db.transaction(async (tx) => {
      const going = await keepGoing(tx, transfer, { progress, doneThrough }, leaseSeconds)
      if (going === undefined) return undefined
      const files = ahead.map((file_id) => ({ file_id, target_key: '', upload_id: null }))
      if (files.length > 0) await rememberFiles(tx, transfer, files)
      if (doneThrough !== undefined) await forgetFilesThrough(tx, transfer, doneThrough)
      return going
    })
    arrivals.noted(ahead)
    if (kept === undefined) stop.abort(new Stopped('not-ours'))
    else if (!kept.package_alive) stop.abort(new Stopped('package-ended'))
  }
  const ticking = repeatedly(tickMs, signal, () =>
    note().catch((err: unknown) => cx.log.warn({ err, transfer_id: transfer.id }, 'transfer not noted')),
  )

  const load = {
    store,
    bucket: keys.bucket,
    partSize: cx.settings.transferPartBytes,
    copying: { on: cx.copier.isOurStore(keys.endpoint) },
    copiesWholeUpTo,
    gate: gate(atOnce),
    isTakenUp: transfer.state === 'started',
    signal,
    arrived(bytes: number) {
      progress += bytes
    },
    async begun(file: PackageFile, key: string, uploadId: string) {
      const row = { file_id: file.id, target_key: key, upload_id: uploadId }
      const noted = await cx.db.transaction((tx) => rememberFiles(tx, transfer, [row]))
      if (noted === 0) throw new Stopped('not-ours')
    },
  }
  const files = filesOf(cx, pkg, arrivals)
  try {
    await inLanes(files, atOnce, async (file) => {
      signal.throwIfAborted()
      if (!isLeftOut(file) && !hasArrived(file.id)) {
        await sendFile(cx, load, file, keyOf(file), remembered.get(file.id)?.upload_id ?? undefined)
      }
      arrivals.end(file.id)
    })
    return true
  } catch (error) {
    // What stopped all of them tells more than how one of them noticed.
    throw stop.signal.aborted ? stop.signal.reason : error
  } finally {
    stop.abort()
    await ticking
    await note().catch(() => {})
  }
}

/** One for all lanes: what begins here begins in the order of the list. */
async function* filesOf(cx: Needs, pkg: PackageRow, arrivals: Arrivals): AsyncGenerator<PackageFile> {
  for await (const { files } of packageFiles(cx, pkg)) {
    for (const file of files) {
      await arrivals.begin(file.id)
      yield file
    }
  }
}

/** Does something again and again until the signal, and waits for the last time. */
async function repeatedly(everyMs: number, signal: AbortSignal, work: () => Promise<void>): Promise<void> {
  while (!signal.aborted) {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, everyMs)
      signal.addEventListener('abort', () => (clearTimeout(timer), resolve()), { once: true })
    })
    if (!signal.aborted) await work()
  }
}

const putOff = async (cx: Needs, transfer: TransferRow, seconds: number, failures: number): Promise<void> => {
  await cx.db.transaction((tx) => postponeTransfer(tx, transfer, seconds, failures))
}

async function end(cx: Needs, transfer: TransferRow, error: string, how: { readonly tidy: boolean }): Promise<void> {
  const { team_id, package_id, id: transfer_id } = transfer
  const ended = await cx.db.transaction((tx) => endTransfer(tx, transfer, { state: 'error', error, tidy: how.tidy }))
  if (ended) cx.log.warn({ team_id, package_id, transfer_id, error }, 'transfer ended in error')
}

/** Takes back uploads that were begun and will not be joined: whoever pays for that store would pay for them. */
async function tidy(cx: Needs, transfer: TransferRow, store: ForeignStore): Promise<void> {
  try {
    for (const { target_key, upload_id } of await rememberedFiles(cx.db, transfer)) {
      if (upload_id !== null) await store.abort(target_key, upload_id)
    }
    await cx.db.transaction((tx) => noteTidied(tx, transfer))
  } catch (error) {
    if (!(error instanceof StorageTrouble || error instanceof StorageRefusal)) throw error
    const gaveUp = error instanceof StorageRefusal || transfer.failures >= tidyTries
    const pause = gaveUp ? null : firstPauseSeconds * 2 ** transfer.failures
    await cx.db.transaction((tx) => postponeTidying(tx, transfer, pause, transfer.failures + 1))
  }
}
