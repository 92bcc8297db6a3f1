import * as wire from '@longshore/contract/agent/uploads'
import { done, route } from './route.ts'

export const uploadRoutes = [
  route(wire.startUpload, ({ transfers }, { body, id }) => transfers.startTeamUpload(body, { id })),
  route(wire.startPortalUpload, ({ transfers }, { body, id }) => transfers.startPortalUpload(body, { id })),
  route(wire.createUploadLink, ({ transfers }, { params, body, id }) => transfers.link(params.upload_id, body, id)),
  route(wire.finalizeUpload, async ({ transfers }, { params }) => {
    await transfers.finalize(params.upload_id)
    return done
  }),
  route(wire.listUploads, ({ transfers }, { query }) => transfers.view.uploads(query)),
  route(wire.readUpload, ({ transfers }, { params, query }) => transfers.view.upload(params.upload_id, query)),
  route(wire.pauseUpload, ({ transfers }, { params }) => {
    transfers.pause('up', params.upload_id)
    return done
  }),
  route(wire.pauseUploads, ({ transfers }) => ({ ...done, affected: transfers.pauseAll('up') })),
  route(wire.resumeUpload, ({ transfers }, { params }) => {
    transfers.resume('up', params.upload_id)
    return done
  }),
  route(wire.resumeUploads, ({ transfers }) => ({ ...done, affected: transfers.resumeAll('up') })),
  route(wire.deleteUpload, async ({ transfers }, { params }) => {
    await transfers.remove('up', params.upload_id)
    return done
  }),
  route(wire.deleteUploads, async ({ transfers }, { query }) => ({
    ...done,
    affected: await transfers.removeAll('up', query.states),
  })),
  route(wire.setUploadRank, ({ transfers }, { params, body }) =>
    transfers.setRank('up', params.upload_id, body.fifo_rank),
  ),
]
