import * as wire from '@longshore/contract/agent/automations'
import { done, route } from './route.ts'

export const automationRoutes = [
  route(wire.listAutomations, ({ automations }) => automations.list()),

  route(wire.createPortalDownload, ({ automations }, { body, id }) => automations.create('portal_download', body, id)),
  route(wire.createAllPortalsDownload, ({ automations }, { body, id }) =>
    automations.create('all_portals_download', body, id),
  ),
  route(wire.createTeamUpload, ({ automations }, { body, id }) => automations.create('team_upload', body, id)),
  route(wire.createPortalUpload, ({ automations }, { body, id }) => automations.create('portal_upload', body, id)),
  route(wire.createTeamStream, ({ automations }, { body, id }) => automations.create('team_stream', body, id)),
  route(wire.createPortalStream, ({ automations }, { body, id }) => automations.create('portal_stream', body, id)),

  route(wire.updatePortalDownload, ({ automations }, { params, body }) =>
    automations.update('portal_download', params.automation_id, body),
  ),
  route(wire.updateAllPortalsDownload, ({ automations }, { params, body }) =>
    automations.update('all_portals_download', params.automation_id, body),
  ),
  route(wire.updateTeamUpload, ({ automations }, { params, body }) =>
    automations.update('team_upload', params.automation_id, body),
  ),
  route(wire.updatePortalUpload, ({ automations }, { params, body }) =>
    automations.update('portal_upload', params.automation_id, body),
  ),
  route(wire.updateTeamStream, ({ automations }, { params, body }) =>
    automations.update('team_stream', params.automation_id, body),
  ),
  route(wire.updatePortalStream, ({ automations }, { params, body }) =>
    automations.update('portal_stream', params.automation_id, body),
  ),

  route(wire.deleteAutomation, async ({ automations }, { params }) => {
    await automations.remove(params.type, params.automation_id)
    return done
  }),
  route(wire.exportAutomation, ({ automations }, { params, query }) => ({
    data: automations.export(params.type, params.automation_id, query.include_secrets === true),
  })),
  route(wire.importAutomation, ({ automations }, { body, id }) => {
    automations.import(body.data, id)
    return done
  }),
]
