import type { DeliveredFile, ToGateway } from '@longshore/contract/gateway'
import type { Cx } from '#domain/cx'
import { isLeftOut } from '#domain/archives/left-out'
import { fileBlock } from '#domain/downloads/package-files'
import { gatewayTopic } from './topic.ts'
import { surveyTransfer } from '#domain/transfers/survey'
import { packageGone } from '#domain/transfers/carry-transfer'
import { completeImport } from '#domain/transfers/complete-import'
import { Stopped } from '#domain/transfers/lease'
import { Refusal } from '#domain/refusal'
import type { PackageFile } from '#store/files'
import { wantedPaths } from '#store/imports'
import { inspectionOf } from '#store/inspections'
import { type PackageRow, packageById } from '#store/packages'
import {
  endTransfer,
  keepGoing,
  markStarted,
  noteTidied,
  postponeTransfer,
  takeDueForGateway,
  type TransferRow,
} from '#store/transfers'

// A gateway that is gone is noticed within the minute that we promise.
const leaseSeconds = 40
const inspectionPauseSeconds = 2
const failurePauseSeconds = 30
const mostFailures = 50
// Orders that an agent has at a time; which of them it does first is its own affair.
const mostOrders = 16
// An address must outlive the queue that its file stands in on the agent's side.
const addressSeconds = 3_600

type Needs = Pick<Cx, 'db' | 'box' | 'blob' | 'blueprints' | 'queue' | 'tokens' | 'settings' | 'log'>

/** Deliveries to one gateway, and collections from it, for as long as its channel is open. */
export interface Orders {
  /** Hands out what has fallen due, and keeps what was handed out. Says `stop` for what has ended meanwhile. */
  look(): Promise<void>
  /** A page of files with fresh addresses. */
  files(transferId: string, after: string, requestId: string): Promise<ToGateway>
  /** `size` is told of collections alone. */
  progress(transferId: string, bytes: number, size: number | undefined): void
  delivered(transferId: string): Promise<void>
  collected(transferId: string, leftOut: number | undefined): Promise<void>
  failed(transferId: string, message: string, passing: boolean): Promise<void>
  /** The channel is gone: whoever the gateway comes back to may hand them out at once. */
  giveBack(): Promise<void>
}

export function gatewayOrders(cx: Needs, connectionId: string, send: (message: ToGateway) => void): Orders {
  const held = new Map<string, { readonly transfer: TransferRow; progress: number; size?: number | undefined }>()

  async function handOut(transfer: TransferRow): Promise<void> {
    if (transfer.state !== 'pending' && transfer.state !== 'started') {
      send({ type: 'stop', transfer_id: transfer.id })
      return cx.db.transaction((tx) => noteTidied(tx, transfer))
    }
    const pkg = await packageById(cx.db, transfer.team_id, transfer.package_id)
    if (transfer.direction === 'import') return handOutCollection(transfer, pkg)
    if (pkg?.state !== 'finalized') return end(transfer, packageGone)
    if (!(await inspectionOf(cx.db, pkg.team_id, pkg.id)).complete) {
      await cx.db.transaction((tx) => postponeTransfer(tx, transfer, inspectionPauseSeconds, transfer.failures))
      return
    }
    const survey = await surveyTransfer(cx, pkg, () => false)
    // How much of it is there, only the agent knows; it will say.
    const begun = { ...survey, progress: Math.min(transfer.progress, survey.size) }
    if (!(await cx.db.transaction((tx) => markStarted(tx, transfer, begun)))) return
    held.set(transfer.id, { transfer, progress: begun.progress })
    const { package_id, folder } = transfer
    send({ type: 'deliver', transfer_id: transfer.id, package_id, folder, size: survey.size })
  }

  async function handOutCollection(transfer: TransferRow, pkg: PackageRow | undefined): Promise<void> {
    if (pkg?.state !== 'new') return end(transfer, packageGone)
    const { package_id, folder, size, progress } = transfer
    if (!(await cx.db.transaction((tx) => markStarted(tx, transfer, { size, progress, leftOut: 0 })))) return
    held.set(transfer.id, { transfer, progress })
    const token = await cx.tokens.issuePackage({
      teamId: pkg.team_id,
      packageId: pkg.id,
      level: 'write',
      serial: pkg.token_serial,
      transferId: transfer.id,
    })
    const paths = [...(await wantedPaths(cx.db, transfer))]
    send({ type: 'collect', transfer_id: transfer.id, package_id, token, folder, paths })
  }

  async function keep(): Promise<void> {
    for (const { transfer, progress, size } of held.values()) {
      const kept = await cx.db.transaction((tx) => keepGoing(tx, transfer, { progress, size }, leaseSeconds))
      if (kept?.package_alive === true) continue
      held.delete(transfer.id)
      if (kept !== undefined) await end(transfer, packageGone)
      send({ type: 'stop', transfer_id: transfer.id })
    }
  }

  async function end(transfer: TransferRow, error: string): Promise<void> {
    held.delete(transfer.id)
    const { team_id, package_id, id: transfer_id } = transfer
    const state = error === '' ? 'complete' : 'error'
    // What its agent has put into the package and not brought is to leave it again.
    const tidy = state === 'error' && transfer.direction === 'import'
    const ended = await cx.db.transaction((tx) => {
      if (tidy) tx.announce(gatewayTopic(connectionId))
      return endTransfer(tx, transfer, { state, error, tidy })
    })
    if (ended) cx.log.info({ team_id, package_id, transfer_id, error }, `transfer ended: ${state}`)
  }

  return {
    async look() {
      await keep()
      while (held.size < mostOrders) {
        const transfer = await cx.db.transaction((tx) => takeDueForGateway(tx, connectionId, leaseSeconds))
        if (transfer === undefined) return
        await handOut(transfer)
      }
    },

    async files(transferId, after, requestId) {
      const transfer = held.get(transferId)?.transfer
      const pkg = transfer && (await packageById(cx.db, transfer.team_id, transfer.package_id))
      if (pkg?.state !== 'finalized') return { type: 'no_files', request_id: requestId, transfer_id: transferId }
      const { files } = await fileBlock(cx, pkg, after === '' ? undefined : after)
      return {
        type: 'files',
        request_id: requestId,
        transfer_id: transferId,
        files: files.filter((file) => !isLeftOut(file)).map((file) => deliveredFile(cx, file)),
        next: files.at(-1)?.id ?? '',
        expires_at: new Date(Date.now() + addressSeconds * 1000).toISOString(),
      }
    },

    progress(transferId, bytes, size) {
      const order = held.get(transferId)
      if (order === undefined) return
      order.progress = bytes
      if (order.transfer.direction === 'import') order.size = size
    },

    async delivered(transferId) {
      const order = held.get(transferId)
      if (order?.transfer.direction === 'export') await end(order.transfer, '')
    },

    async collected(transferId, leftOut) {
      const order = held.get(transferId)
      if (order?.transfer.direction !== 'import') return
      const { transfer, progress, size } = order
      const kept = await cx.db.transaction((tx) => keepGoing(tx, transfer, { progress, size, leftOut }, leaseSeconds))
      // Not looked after from here on: the package is about to be no longer `new`.
      held.delete(transferId)
      if (kept === undefined) return
      const pkg = await packageById(cx.db, transfer.team_id, transfer.package_id)
      if (pkg === undefined || !kept.package_alive) return end(transfer, packageGone)
      try {
        await completeImport(cx, transfer, pkg)
      } catch (error) {
        if (error instanceof Refusal) return end(transfer, error.message)
        // Cancelled in this very moment: then that counts.
        if (!(error instanceof Stopped)) throw error
      }
    },

    async failed(transferId, message, passing) {
      const transfer = held.get(transferId)?.transfer
      if (transfer === undefined) return
      if (!passing || transfer.failures >= mostFailures) {
        return end(transfer, message || 'The agent gave it up.')
      }
      held.delete(transferId)
      await cx.db.transaction((tx) => postponeTransfer(tx, transfer, failurePauseSeconds, transfer.failures + 1))
    },

    async giveBack() {
      const all = [...held.values()]
      held.clear()
      for (const { transfer } of all) {
        await cx.db.transaction(async (tx) => {
          await postponeTransfer(tx, transfer, 0, transfer.failures)
          tx.announce(gatewayTopic(connectionId))
        })
      }
    },
  }
}

const deliveredFile = (cx: Pick<Cx, 'blueprints'>, file: PackageFile): DeliveredFile => ({
  id: file.id,
  kind: file.kind,
  path: file.path,
  name: file.name,
  size: file.size ?? 0,
  last_modified: file.last_modified.toISOString(),
  sha256: file.sha256 ?? '',
  url:
    file.object_key === null
      ? ''
      : cx.blueprints.download(file.object_key, { fileName: file.name, expiresInSeconds: addressSeconds }),
})
