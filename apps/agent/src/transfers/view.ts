import { Refusal } from '@longshore/kit/refusal'
import { countItems, type ItemState, pageOfItems, pageOfItemsIn } from '#state/items'
import {
  countTransfers,
  type Direction,
  listTransfers,
  queueOf,
  readTransfer,
  type TransferRow,
  type TransferState,
} from '#state/transfers'
import type { Means } from './means.ts'
import { mayRun } from './order.ts'
import { presentDownload, presentItem, presentUpload, type Standing } from './present.ts'
import type { Runs } from './runs.ts'

export const noSuchTransfer = (direction: Direction, id: string) =>
  direction === 'up'
    ? new Refusal('upload_not_found', `There is no upload '${id}'. Check the id.`)
    : new Refusal('download_not_found', `There is no download '${id}'. Check the id.`)

export function mustRead({ db }: Pick<Means, 'db'>, direction: Direction, id: string): TransferRow {
  const row = readTransfer(db, direction, id)
  if (row === undefined) throw noSuchTransfer(direction, id)
  return row
}

interface Page {
  readonly states?: readonly TransferState[]
  readonly offset?: number
  readonly limit?: number
}

interface ItemPage {
  readonly items_offset?: number
  readonly items_limit?: number
  readonly items_states?: readonly ItemState[]
}

/** Transfers as the API and the events show them. */
export function createView(means: Means, runs: Pick<Runs, 'pace' | 'writeDown'>) {
  const { db } = means

  const standings = (direction: Direction): ((row: TransferRow) => Standing) => {
    const queue = queueOf(db, direction)
    const ranks = new Map(queue.map(({ id }, rank) => [id, rank]))
    const fifo = means.settings.value('fifo')
    const count = direction === 'up' ? fifo.active_upload_count : fifo.active_download_count
    const running = mayRun(queue, { enabled: fifo.enabled, count })
    return ({ id, state }) => ({
      rank: ranks.get(id) ?? -1,
      queued: state === 'transferring' && !running.has(id),
      pace: runs.pace(id),
    })
  }

  /** The whole list, or the part that was asked for. */
  const listed = <Shown>(direction: Direction, page: Page, present: (row: TransferRow, so: Standing) => Shown) => {
    const { states, offset = 0, limit } = page
    const standing = standings(direction)
    const rows = listTransfers(db, direction, { states, offset, limit })
    return {
      transfers: rows.map((row) => present(row, standing(row))),
      total: countTransfers(db, direction, states),
    }
  }

  const withItems = <Shown>(
    direction: Direction,
    id: string,
    { items_offset = 0, items_limit = 1_000, items_states }: ItemPage,
    present: (row: TransferRow, so: Standing) => Shown,
  ) => {
    runs.writeDown(id)
    const row = mustRead(means, direction, id)
    const page =
      items_states === undefined
        ? pageOfItems(db, row.seq, items_offset, items_limit)
        : pageOfItemsIn(db, row.seq, items_states, items_offset, items_limit)
    return {
      ...present(row, standings(direction)(row)),
      items: page.map(presentItem),
      items_total: countItems(db, row.seq, items_states),
    }
  }

  const told = (direction: Direction, row: TransferRow, standing: Standing) =>
    direction === 'up'
      ? { kind: 'upload', transfer: presentUpload(row, standing) }
      : { kind: 'download', transfer: presentDownload(row, standing) }

  return {
    uploads: (page: Page) => listed('up', page, presentUpload),
    downloads: (page: Page) => listed('down', page, presentDownload),
    upload: (id: string, page: ItemPage) => withItems('up', id, page, presentUpload),
    download: (id: string, page: ItemPage) => withItems('down', id, page, presentDownload),
    /** As events tell of them, without those that are gone. */
    events: (direction: Direction, ids: readonly string[]) => {
      const standing = standings(direction)
      return ids.flatMap((id) => {
        const row = readTransfer(db, direction, id)
        return row === undefined ? [] : [told(direction, row, standing(row))]
      })
    },
    everything: () =>
      (['up', 'down'] as const).flatMap((direction) => {
        const standing = standings(direction)
        const rows = listTransfers(db, direction, { states: undefined, offset: 0, limit: undefined })
        return rows.map((row) => told(direction, row, standing(row)))
      }),
  }
}
