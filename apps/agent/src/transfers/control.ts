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

  /** Answers how many are as they were wanted, since now or before: all but those that cannot be. */
  const change = (direction: Direction, rows: readonly TransferRow[], trigger: 'pause' | 'resume'): number => {
    const aims = rows.flatMap((row) => {
      const error = row.error === null ? undefined : (JSON.parse(row.error) as ShownError)
      const to = nextState(row.state, trigger, error)
      return to === undefined ? [] : [{ row, to }]
    })
    const changing = aims.filter(({ row, to }) => to !== row.state)
    if (changing.length === 0) return aims.length
    db.transaction(() => {
      for (const { row, to } of changing) {
        changeState(db, row.seq, { from: [row.state], to }, now())
        if (trigger === 'resume') releaseItems(db, row.seq, ['error', 'transferring'])
      }
    })
    runs.arrange(direction)
    news.changed(
      direction,
      changing.map(({ row }) => row.id),
    )
    return aims.length
  }

  const all = (direction: Direction, states?: readonly TransferState[]) =>
    listTransfers(db, direction, { states, offset: 0, limit: undefined })

  const changeOne = (direction: Direction, id: string, trigger: 'pause' | 'resume') => {
    const row = mustRead(means, direction, id)
    if (change(direction, [row], trigger) === 1) return
    const code = trigger === 'pause' ? 'transfer_not_running' : 'transfer_not_resumable'
    throw new Refusal(code, `It is in state '${row.state}'. ${new Refusal(code).message}`)
  }

  const remove = async (direction: Direction, rows: readonly TransferRow[]): Promise<void> => {
    // They must not begin again while their last requests end.
    db.transaction(() => {
      for (const { seq } of rows) changeState(db, seq, { from: ['transferring'], to: 'paused' }, now())
    })
    await Promise.all(
      rows.map(async (row) => {
        await runs.end(row.id)
        if (direction === 'down') await removeParts(row)
      }),
    )
    db.transaction(() => {
      for (const { seq } of rows) removeTransfer(db, seq)
    })
    runs.arrange(direction)
    for (const row of rows) {
      news.removed(direction, row.id)
      // Only a Team may delete; a Portal's is given up by the server. Nobody waits for it.
      if (direction === 'up' && row.state !== 'complete' && row.type === 'team') {
        void takeBack(means, { id: row.package_id, token: uploadSecrets(row).token })
      }
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
    news.changed('down', [id])
  }

  /** The cloud has ordered it again, whatever had ended it. One that somebody paused here stays so. */
  const goOnDelivering = (id: string): void => {
    const row = mustRead(means, 'down', id)
    db.transaction(() => {
      if (changeState(db, row.seq, { from: ['error'], to: 'transferring' }, now()))
        releaseItems(db, row.seq, ['error', 'transferring'])
    })
    runs.arrange('down')
    news.changed('down', [id])
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
    news.changed('up', [id])
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
    news.changed('up', [id])
  }

  /** The cloud knows that all of it is there. */
  const endCollection = (id: string): void => {
    const row = mustRead(means, 'up', id)
    db.transaction(() => {
      if (changeState(db, row.seq, { from: ['idle'], to: 'complete' }, now())) dropJournal(db, row.seq)
    })
    news.changed('up', [id])
  }

  return {
    stopDelivery,
    goOnDelivering,
    stopCollection,
    goOnCollecting,
    endCollection,
    pause: (direction: Direction, id: string) => changeOne(direction, id, 'pause'),
    resume: (direction: Direction, id: string) => changeOne(direction, id, 'resume'),
    /** Answers how many were not paused before. */
    pauseAll: (direction: Direction): number => change(direction, all(direction, ['transferring']), 'pause'),
    resumeAll: (direction: Direction): number => change(direction, all(direction, ['paused', 'error']), 'resume'),
    remove: (direction: Direction, id: string) => remove(direction, [mustRead(means, direction, id)]),
    removeAll: async (direction: Direction, states?: readonly TransferState[]): Promise<number> => {
      const rows = all(direction, states)
      await remove(direction, rows)
      return rows.length
    },

    setRank: (direction: Direction, id: string, rank: number): { fifo_rank: number } => {
      mustRead(means, direction, id)
      const queue = queueOf(db, direction).map((queued) => queued.id)
      if (!queue.includes(id)) throw new Refusal('transfer_not_queued')
      const after = moved(queue, id, rank)
      db.transaction(() => saveQueue(db, direction, after))
      runs.arrange(direction)
      news.changed(direction, [id])
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
      news.changed('up', [id])
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
