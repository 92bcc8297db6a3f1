import * as packages from '@longshore/contract/cloud/packages'
import * as wire from '@longshore/contract/cloud/portals'
import { createPortalPackage } from '#domain/packages/create-portal-package'
import { listAllPortals, listPortals } from '#domain/portals/list-portals'
import { createPortal, deletePortal, updatePortal } from '#domain/portals/manage-portals'
import { lookUpPortal, readPortal } from '#domain/portals/read-portal'
import { JsonText, route } from './route.ts'

export const portalRoutes = [
  route(wire.createPortal, (cx, { caller, params, body, once }) =>
    createPortal(cx, caller, params.team_id, body, once),
  ),
  route(wire.updatePortal, (cx, { caller, params, body }) => updatePortal(cx, caller, params.portal_id, body)),
  route(wire.readPortal, (cx, { caller, params, accessCode, address }) =>
    readPortal(cx, caller, params.portal_id, { accessCode, address }),
  ),
  route(wire.deletePortal, (cx, { caller, params }) => deletePortal(cx, caller, params.portal_id)),
  route(wire.listPortals, (cx, { caller, params, query }) => listPortals(cx, caller, params.team_id, query)),
  route(
    wire.listPortalsLegacy,
    async (cx, { caller, params }) => new JsonText(await listAllPortals(cx, caller, params.team_id)),
  ),
  route(wire.lookUpPortal, (cx, { params }) => lookUpPortal(cx, params.subdomain)),
  route(packages.createPortalPackage, (cx, { params, body, accessCode, address, once }) =>
    createPortalPackage(cx, params.portal_id, { accessCode, address }, body, once),
  ),
]
