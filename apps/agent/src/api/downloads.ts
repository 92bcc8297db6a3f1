import * as wire from '@longshore/contract/agent/downloads'
import { done, route } from './route.ts'

export const downloadRoutes = [
  route(wire.startDownload, ({ transfers }, { body, id }) => transfers.startDownload(body, { id })),
  route(wire.listDownloads, ({ transfers }, { query }) => transfers.view.downloads(query)),
  route(wire.readDownload, ({ transfers }, { params, query }) => transfers.view.download(params.download_id, query)),
  route(wire.pauseDownload, ({ transfers }, { params }) => {
    transfers.pause('down', params.download_id)
    return done
  }),
  route(wire.pauseDownloads, ({ transfers }) => ({ ...done, affected: transfers.pauseAll('down') })),
  route(wire.resumeDownload, ({ transfers }, { params }) => {
    transfers.resume('down', params.download_id)
    return done
  }),
  route(wire.resumeDownloads, ({ transfers }) => ({ ...done, affected: transfers.resumeAll('down') })),
  route(wire.deleteDownload, async ({ transfers }, { params }) => {
    await transfers.remove('down', params.download_id)
    return done
  }),
  route(wire.deleteDownloads, async ({ transfers }, { query }) => ({
    ...done,
    affected: await transfers.removeAll('down', query.states),
  })),
  route(wire.setDownloadRank, ({ transfers }, { params, body }) =>
    transfers.setRank('down', params.download_id, body.fifo_rank),
  ),
]
