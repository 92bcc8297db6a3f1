import type { ForeignKeys } from '#blob/foreign-store'
import { ObjectGone, StorageRefusal, StorageTrouble } from '#blob/storage-errors'
import { openConnectionKeys, openTransferKeys } from '#domain/connections/authorization'
import { explainFault } from '#domain/connections/faults'
import type { Cx } from '#domain/cx'
import { Refusal } from '#domain/refusal'
import { connectionOfTeam } from '#store/connections'
import { inspectionOf } from '#store/inspections'
import { packageById } from '#store/packages'
import {
  endTransfer,
  noteTidied,
  postponeTidying,
  postponeTransfer,
  rememberedFiles,
  takeDueTransfer,
  takeLeftByGateway,
  type TransferRow,
  transferById,
} from '#store/transfers'
import { SourceFault } from './import-faults.ts'
import { importPackage, removeAwaited } from './import-package.ts'
import { leaseSeconds, Stopped } from './lease.ts'
import { sendPackage, type Voyage } from './send-package.ts'

const inspectionPauseSeconds = 2
const firstPauseSeconds = 5
const longestPauseSeconds = 900
// With the pauses about half a day: whoever is away for longer is told.
const mostFailures = 50
const tidyTries = 8

type Needs = Pick<Cx, 'db' | 'box' | 'blob' | 'copier' | 'ownStore' | 'foreignStore' | 'queue' | 'settings' | 'log'>

export const packageGone = 'The package expired or was deleted before all of it had arrived.'

// An agent that is connected has taken back what it began by then.
const agentIsAwaySeconds = 30

/** Takes a transfer that something is to be done for. */
export const takeTransfer = (cx: Pick<Cx, 'db'>): Promise<TransferRow | undefined> =>
  cx.db.transaction(
    async (tx) => (await takeDueTransfer(tx, leaseSeconds)) ?? takeLeftByGateway(tx, leaseSeconds, agentIsAwaySeconds),
  )

/**
 * Carries a package to another store, or files from there into a package, or takes back what was begun for a transfer that
 * was cancelled. Killed anywhere, it falls due again and goes on: what has arrived is noted, or the store knows it.
 */
export async function carryTransfer(cx: Needs, transfer: TransferRow, signal: AbortSignal): Promise<void> {
  if (transfer.state !== 'pending' && transfer.state !== 'started') return tidy(cx, transfer)
  const keys = await keysOf(cx, transfer)
  if (keys === undefined) return end(cx, transfer, 'The cloud connection was deleted.')
  const pkg = await packageById(cx.db, transfer.team_id, transfer.package_id)
  if (pkg?.state !== (transfer.direction === 'import' ? 'new' : 'finalized')) return end(cx, transfer, packageGone)
  // Nothing goes out that may turn out to have a virus.
  if (transfer.direction === 'export' && !(await inspectionOf(cx.db, pkg.team_id, pkg.id)).complete) {
    return putOff(cx, transfer, inspectionPauseSeconds, transfer.failures)
  }
  const store = cx.foreignStore(keys)
  try {
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

async function carry(cx: Needs, voyage: Voyage, shutdown: AbortSignal): Promise<void> {
  const { transfer, pkg } = voyage
  const startedAt = performance.now()
  try {
    await (transfer.direction === 'import' ? importPackage : sendPackage)(cx, voyage, shutdown)
    cx.log.info(
      {
        team_id: pkg.team_id,
        package_id: pkg.id,
        transfer_id: transfer.id,
        direction: transfer.direction,
        ms: Math.round(performance.now() - startedAt),
      },
      'transfer complete',
    )
  } catch (error) {
    if (shutdown.aborted) return putOff(cx, transfer, 0, transfer.failures)
    await noteFailure(cx, transfer, error)
  }
}

async function noteFailure(cx: Needs, transfer: TransferRow, error: unknown): Promise<void> {
  const now = await transferById(cx.db, transfer.team_id, transfer.id)
  if (error instanceof Stopped && error.why === 'not-ours') {
    // Cancelled: what was begun is taken back at once. Taken by another: it is theirs.
    if (now?.run === transfer.run && (now.state === 'cancelled' || now.state === 'error')) await tidy(cx, now)
    return
  }
  const names = { team_id: transfer.team_id, package_id: transfer.package_id, transfer_id: transfer.id }
  cx.log.warn({ ...names, err: error, failures: transfer.failures }, 'transfer interrupted')
  if (error instanceof Stopped || error instanceof ObjectGone) return end(cx, transfer, packageGone)
  if (error instanceof SourceFault || error instanceof Refusal) return end(cx, transfer, error.message)
  const said = explainFault(error) ?? 'Something went wrong on our side.'
  const failures = now?.failures ?? transfer.failures
  if (error instanceof StorageRefusal || failures >= mostFailures) return end(cx, transfer, said)
  await putOff(cx, transfer, Math.min(firstPauseSeconds * 2 ** failures, longestPauseSeconds), failures + 1)
}

const putOff = async (cx: Needs, transfer: TransferRow, seconds: number, failures: number): Promise<void> => {
  await cx.db.transaction((tx) => postponeTransfer(tx, transfer, seconds, failures))
}

/** In error. What was begun is taken back after. */
async function end(cx: Needs, transfer: TransferRow, error: string): Promise<void> {
  const { team_id, package_id, id: transfer_id } = transfer
  const ended = await cx.db.transaction((tx) => endTransfer(tx, transfer, { state: 'error', error, tidy: true }))
  if (ended) cx.log.warn({ team_id, package_id, transfer_id, error }, 'transfer ended in error')
}

/** Takes back what was begun and will not be ended. */
async function tidy(cx: Needs, transfer: TransferRow): Promise<void> {
  try {
    if (transfer.direction === 'import') await removeAwaited(cx, transfer)
    else await takeBackUploads(cx, transfer)
    await cx.db.transaction((tx) => noteTidied(tx, transfer))
  } catch (error) {
    if (!(error instanceof StorageTrouble || error instanceof StorageRefusal)) throw error
    const gaveUp = error instanceof StorageRefusal || transfer.failures >= tidyTries
    const pause = gaveUp ? null : firstPauseSeconds * 2 ** transfer.failures
    await cx.db.transaction((tx) => postponeTidying(tx, transfer, pause, transfer.failures + 1))
  }
}

/** Uploads that nobody joins cost whoever pays for that store. */
async function takeBackUploads(cx: Needs, transfer: TransferRow): Promise<void> {
  const keys = await keysOf(cx, transfer)
  if (keys === undefined) return
  const store = cx.foreignStore(keys)
  try {
    for (const { target_key, upload_id } of await rememberedFiles(cx.db, transfer)) {
      if (upload_id !== null) await store.abort(target_key, upload_id)
    }
  } finally {
    store.close()
  }
}
