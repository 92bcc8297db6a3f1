import { newId } from '@longshore/kit/ids'
import { type Direction, pauseAll, readTransfer } from '#state/transfers'
import { createControl } from './control.ts'
import { createFeed } from './feed.ts'
import type { Means } from './means.ts'
import { createRuns } from './runs.ts'
import { startCollection } from './start-collection.ts'
import { startDelivery } from './start-delivery.ts'
import { startDownload } from './start-download.ts'
import { type Started, startPortalUpload, startTeamUpload } from './start-upload.ts'
import { createView } from './view.ts'

export type Transfers = ReturnType<typeof openTransfers>

type Given<Start> = Start extends (means: Means, ...given: infer Rest) => unknown ? Rest : never

/** All transfers of this agent. Those that an earlier process left unfinished go on. */
export function openTransfers(means: Means) {
  const told = (type: string) => (direction: Direction, ids: readonly string[]) => {
    for (const event of view.events(direction, ids)) feed.tell(type, event)
  }
  const changed = told('transfer.changed')
  const runs = createRuns(means, { changed, progress: told('transfer.progress') })
  const view = createView(means, runs)
  const feed = createFeed(newId(), () =>
    view.everything().map((event) => ({ type: 'transfer.changed', data: JSON.stringify(event) })),
  )
  const removed = (direction: Direction, id: string) =>
    feed.tell('transfer.removed', { kind: direction === 'up' ? 'upload' : 'download', id })
  const control = createControl(means, runs, { changed, removed })

  /** Begins what was just noted. */
  const began = <Started>(direction: Direction, id: string, started: Started): Started => {
    runs.arrange(direction)
    changed(direction, [id])
    return started
  }

  /** A call that is made again under its id, since its answer was lost, finds what it began. */
  const uploadUnder = async (id: string, start: () => Promise<Started>): Promise<Started> => {
    const before = readTransfer(means.db, 'up', id)
    return before === undefined
      ? began('up', id, await start())
      : { upload_id: before.id, package_id: before.package_id }
  }

  means.settings.onChange((name) => {
    if (name !== 'fifo') return
    runs.arrange('up')
    runs.arrange('down')
  })
  if (!means.autoResume) pauseAll(means.db, means.now())
  runs.arrange('up')
  runs.arrange('down')

  return {
    ...control,
    view,
    feed,
    startTeamUpload: async (...given: Given<typeof startTeamUpload>) =>
      uploadUnder(given[1].id, () => startTeamUpload(means, ...given)),
    startPortalUpload: async (...given: Given<typeof startPortalUpload>) =>
      uploadUnder(given[1].id, () => startPortalUpload(means, ...given)),
    startDownload: async (...given: Given<typeof startDownload>) => {
      const { id } = given[1]
      if (readTransfer(means.db, 'down', id) !== undefined) return { download_id: id }
      return began('down', id, await startDownload(means, ...given))
    },
    startDelivery: (...given: Given<typeof startDelivery>) => {
      const id = startDelivery(means, ...given)
      began('down', id, id)
    },
    startCollection: (...given: Given<typeof startCollection>) => {
      const id = startCollection(means, ...given)
      began('up', id, id)
    },
    close: runs.close,
  }
}
