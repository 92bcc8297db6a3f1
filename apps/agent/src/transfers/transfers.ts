import { newId } from '@longshore/kit/ids'
import { type Direction, pauseAll } from '#state/transfers'
import { createControl } from './control.ts'
import { createFeed } from './feed.ts'
import type { Means } from './means.ts'
import { createRuns } from './runs.ts'
import { startCollection } from './start-collection.ts'
import { startDelivery } from './start-delivery.ts'
import { startDownload } from './start-download.ts'
import { startPortalUpload, startTeamUpload } from './start-upload.ts'
import { createView } from './view.ts'

export type Transfers = ReturnType<typeof openTransfers>

type Given<Start> = Start extends (means: Means, ...given: infer Rest) => unknown ? Rest : never

/** All transfers of this agent. Those that an earlier process left unfinished go on. */
export function openTransfers(means: Means) {
  const told = (type: string) => (direction: Direction, id: string) => {
    const event = view.event(direction, id)
    if (event !== undefined) feed.tell(type, event)
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
    changed(direction, id)
    return started
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
    startTeamUpload: async (...given: Given<typeof startTeamUpload>) => {
      const started = await startTeamUpload(means, ...given)
      return began('up', started.upload_id, started)
    },
    startPortalUpload: async (...given: Given<typeof startPortalUpload>) => {
      const started = await startPortalUpload(means, ...given)
      return began('up', started.upload_id, started)
    },
    startDownload: async (...given: Given<typeof startDownload>) => {
      const started = await startDownload(means, ...given)
      return began('down', started.download_id, started)
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
