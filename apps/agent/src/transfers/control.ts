import { existsSync } from 'node:fs'
import type { createUploadLink } from '@longshore/contract/agent/uploads'
import type { InputOf, ReplyOf } from '@longshore/contract/endpoint'
import type { Place } from '@longshore/contract/names'
import { Refusal } from '@longshore/kit/refusal'
import { closePackage, makeLink, removeUnfinished, tokenByUser } from '#cloud/packages'
import { removeEmpty } from '#host/remove-empty'
import { isItem, itemsToMove, releaseItems } from '#state/items'
import { dropJournal } from '#state/journal'
import {
  changeState,
  type Direction,
  listTransfers,
  queueOf,
  readTransfer,
  removeTransfer,
  saveQueue,
  saveSecrets,
  type TransferRow,
  type TransferState,
} from '#state/transfers'
import { destinationOf } from './destination-of.ts'
import { type ShownError, shownError } from './errors.ts'
import type { Means } from './means.ts'
import { moved } from './order.ts'
import { downloadPlan, isDelivery, uploadSecrets } from './plans.ts'
import type { RunNews, Runs } from './runs.ts'
import { nextState } from './states.ts'
import { takeBack } from './take-back.ts'
import { mustRead } from './view.ts'

type NewLink = InputOf<typeof createUploadLink>['body']

export interface ControlNews extends Pick<RunNews, 'changed'> {
  readonly removed: (direction: Direction, id: string) => void
}

/** What can be done to transfers that are there. */
export function createControl(means: Means, runs: Runs, news: ControlNews) {
  const { db, now, client } = means

  /** Answers false where it cannot be; a transfer that is so already is left alone. */
  const change = (row: TransferRow, trigger: 'pause' | 'resume'): boolean => {
    const error = row.error === null ? undefined : (JSON.parse(row.error) as ShownError)
    const to = nextState(row.state, trigger, error)
    if (to === undefined) return false
    if (to === row.state) return true
    db.transaction(() => {
      changeState(db, row.seq, { from: [row.state], to }, now())
      if (trigger === 'resume') releaseItems(db, row.seq, ['error', 'transferring'])
    })
    runs.arrange(row.direction)
    news.changed(row.direction, row.id)
    return true
  }

  const all = (direction: Direction, states?: readonly TransferState[]) =>
    listTransfers(db, direction, { states, offset: 0, limit: undefined })

  const changeOne = (row: TransferRow, trigger: 'pause' | 'resume') => {
    if (change(row, trigger)) return
    const code = trigger === 'pause' ? 'transfer_not_running' : 'transfer_not_resumable'
    throw new Refusal(code, `It is in state '${row.state}'. ${new Refusal(code).message}`)
  }

  const remove = async (row: TransferRow): Promise<void> => {
    // It must not begin again while its last requests end.
    changeState(db, row.seq, { from: ['transferring'], to: 'paused' }, now())
    await runs.end(row.id)
    if (row.direction === 'down') await removeParts(row)
    removeTransfer(db, row.seq)
    runs.arrange(row.direction)
    news.removed(row.direction, row.id)
    // Only a Team may delete; a Portal's is given up by the server. Nobody waits for it.
    if (row.direction === 'up' && row.state !== 'complete' && row.type === 'team') {
      void takeBack(means, { id: row.package_id, token: uploadSecrets(row).token })
    }
  }

  const removeParts = async (row: TransferRow) => {
    const plan = downloadPlan(row)
    // Opening it would make it anew, and whoever removed it does not want it back.
    if (row.state === 'complete' || (!isDelivery(plan) && !existsSync(plan.folder))) return
    try {
      const destination = await destinationOf(means, row)
      try {
        let last = -1
        while (true) {
          const items = itemsToMove(db, row.seq, last, 200)
          for (const { n, path, name, state } of items) {
            if (state !== 'complete') await destination.forget({ n, path, name })
          }
          if (items.length === 0) break
          last = items.at(-1)?.n ?? last
        }
      } finally {
        await destination.close()
      }
      // Whoever fetches it again wants the same folder, and not one with a number.
      if (!isDelivery(plan) && plan.ownFolder === true) await removeEmpty(plan.folder)
    } catch (error) {
      // The folder may be gone, or on a disk that is: that is no reason to keep the download.
      means.log.warn({ transfer: row.id, err: error }, 'part files of a deleted download could not be removed')
    }
  }

  /** Ends a delivery for good or until it is ordered again: whole files stay, and are not fetched twice. */
  const stopDelivery = async (id: string, why: string): Promise<void> => {
    const row = readTransfer(db, 'down', id)
    if (row === undefined) return
    const error = JSON.stringify(shownError({ code: 'delivery_stopped', message: why }))
    const open: readonly TransferState[] = ['transferring', 'paused', 'error']
    if (!changeState(db, row.seq, { from: open, to: 'error', error }, now())) return
    await runs.end(id)
    await removeParts(row)
    runs.arrange('down')
    news.changed('down', id)
  }

  /** The cloud has ordered it again, whatever had ended it. One that somebody paused here stays so. */
  const goOnDelivering = (id: string): void => {
    const row = mustRead(means, 'down', id)
    db.transaction(() => {
      if (changeState(db, row.seq, { from: ['error'], to: 'transferring' }, now()))
        releaseItems(db, row.seq, ['error', 'transferring'])
    })
    runs.arrange('down')
    news.changed('down', id)
  }

  /**
   * Ends a collection for good or until it is ordered again: what has arrived stays in the package, and the rest leaves it.
   */
  const stopCollection = async (id: string, why: string): Promise<void> => {
    const row = readTransfer(db, 'up', id)
    if (row === undefined) return
    const error = JSON.stringify(shownError({ code: 'delivery_stopped', message: why }))
    const open: readonly TransferState[] = ['transferring', 'paused', 'error', 'idle']
    if (!changeState(db, row.seq, { from: open, to: 'error', error }, now())) return
    await runs.end(id)
    const isOurs = (place: Place) => isItem(db, row.seq, place)
    await removeUnfinished(client, { id: row.package_id, token: uploadSecrets(row).token }, isOurs).catch(
      (err: unknown) => means.log.warn({ transfer: id, err }, 'files of a collection could not be taken back'),
    )
    runs.arrange('up')
    news.changed('up', id)
  }

  /** The same as for a delivery, with a fresh token of the package. */
  const goOnCollecting = (id: string, token: string): void => {
    const row = mustRead(means, 'up', id)
    db.transaction(() => {
      saveSecrets(db, row.seq, JSON.stringify({ token }))
      if (changeState(db, row.seq, { from: ['error'], to: 'transferring' }, now()))
        releaseItems(db, row.seq, ['error', 'transferring'])
    })
    runs.arrange('up')
    news.changed('up', id)
  }

  /** The cloud knows that all of it is there. */
  const endCollection = (id: string): void => {
    const row = mustRead(means, 'up', id)
    db.transaction(() => {
      if (changeState(db, row.seq, { from: ['idle'], to: 'complete' }, now())) dropJournal(db, row.seq)
    })
    news.changed('up', id)
  }

  return {
    stopDelivery,
    goOnDelivering,
    stopCollection,
    goOnCollecting,
    endCollection,
    pause: (direction: Direction, id: string) => changeOne(mustRead(means, direction, id), 'pause'),
    resume: (direction: Direction, id: string) => changeOne(mustRead(means, direction, id), 'resume'),
    /** Answers how many were not paused before. */
    pauseAll: (direction: Direction): number =>
      all(direction, ['transferring']).filter((row) => change(row, 'pause')).length,
    resumeAll: (direction: Direction): number =>
      all(direction, ['paused', 'error']).filter((row) => change(row, 'resume')).length,
    remove: (direction: Direction, id: string) => remove(mustRead(means, direction, id)),
    removeAll: async (direction: Direction, states?: readonly TransferState[]): Promise<number> => {
      const rows = all(direction, states)
      await Promise.all(rows.map(remove))
      return rows.length
    },

    setRank: (direction: Direction, id: string, rank: number): { fifo_rank: number } => {
      mustRead(means, direction, id)
      const queue = queueOf(db, direction).map((queued) => queued.id)
      if (!queue.includes(id)) throw new Refusal('transfer_not_queued')
      const after = moved(queue, id, rank)
      db.transaction(() => saveQueue(db, direction, after))
      runs.arrange(direction)
      news.changed(direction, id)
      return { fifo_rank: after.indexOf(id) }
    },

    finalize: async (id: string): Promise<void> => {
      const row = mustRead(means, 'up', id)
      if (row.state === 'complete') return
      if (row.state !== 'idle') throw new Refusal('upload_not_idle')
      await closePackage(client, { id: row.package_id, token: uploadSecrets(row).token })
      db.transaction(() => {
        changeState(db, row.seq, { from: ['idle'], to: 'complete' }, now())
        dropJournal(db, row.seq)
      })
      news.changed('up', id)
    },

    link: async (id: string, { active, ...given }: NewLink, key: string): Promise<ReplyOf<typeof createUploadLink>> => {
      const row = mustRead(means, 'up', id)
      if (row.type !== 'team') throw new Refusal('upload_not_team')
      if (row.state !== 'complete') throw new Refusal('upload_not_complete')
      // The token of the package would do; but links are made for whoever is signed in.
      await means.session.read()
      const body = { ...given, ...(active === undefined ? {} : { active: active === true || active === 'true' }) }
      const make = (token: string) => makeLink(client, { id: row.package_id, token }, body, key)
      const made = await make(uploadSecrets(row).token).catch(async (error: unknown) => {
        // The package may well be kept for longer than the week of its token.
        if (!(error instanceof Refusal) || error.code !== 'token_expired') throw error
        return make(await tokenByUser(client, means.session, row.package_id))
      })
      const { id: linkId, secret, expiry, locked, url } = made
      return { id: linkId, secret, expiry, locked, url }
    },
  }
}
