import * as wire from '@longshore/contract/cloud/packages'
import { archiveByExpiry, unarchiveByExpiry } from '#domain/packages/archive-by-expiry'
import { archivePackage, unarchivePackage } from '#domain/packages/archive-package'
import { createTeamPackage } from '#domain/packages/create-team-package'
import { deletePackage } from '#domain/packages/delete-package'
import { finalizePackage } from '#domain/packages/finalize-package'
import { listAllPortalPackages, listAllTeamPackages } from '#domain/packages/list-all-packages'
import { listInbox, listPortalPackages, listTeamPackages } from '#domain/packages/list-packages'
import { readPackage, readTeamPackage } from '#domain/packages/read-package'
import { setPackageExpiry } from '#domain/packages/set-package-expiry'
import { updatePackage } from '#domain/packages/update-package'
import { JsonText, route } from './route.ts'

export const packageRoutes = [
  route(wire.createTeamPackage, (cx, { caller, params, body, once }) =>
    createTeamPackage(cx, caller, params.team_id, body, once),
  ),
  route(wire.listTeamPackages, (cx, { caller, params, query }) => listTeamPackages(cx, caller, params.team_id, query)),
  route(wire.listInbox, (cx, { caller, params, query }) => listInbox(cx, caller, params.team_id, query)),
  route(wire.listPortalPackages, (cx, { caller, params, query }) =>
    listPortalPackages(cx, caller, params.portal_id, query),
  ),
  route(
    wire.listTeamPackagesLegacy,
    async (cx, { caller, params, query }) => new JsonText(await listAllTeamPackages(cx, caller, params.team_id, query)),
  ),
  route(
    wire.listPortalPackagesLegacy,
    async (cx, { caller, params, query }) =>
      new JsonText(await listAllPortalPackages(cx, caller, params.portal_id, query)),
  ),
  route(wire.readTeamPackage, (cx, { caller, params }) =>
    readTeamPackage(cx, caller, params.team_id, params.package_id),
  ),
  route(wire.readPackage, (cx, { caller, params }) => readPackage(cx, caller, params.package_id)),
  route(wire.updatePackage, (cx, { caller, params, body }) => updatePackage(cx, caller, params.package_id, body)),
  route(wire.setPackageExpiry, (cx, { caller, params, body }) => setPackageExpiry(cx, caller, params.package_id, body)),
  route(wire.deletePackage, (cx, { caller, params }) => deletePackage(cx, caller, params.package_id)),
  route(wire.finalizePackage, (cx, { caller, params }) => finalizePackage(cx, caller, params.package_id)),
  route(wire.archivePackage, (cx, { caller, params }) => archivePackage(cx, caller, params.package_id)),
  route(wire.unarchivePackage, (cx, { caller, params }) => unarchivePackage(cx, caller, params.package_id)),
  route(wire.archiveSent, (cx, { caller, params, body }) => archiveByExpiry(cx, caller, params.team_id, 'sent', body)),
  route(wire.archiveReceived, (cx, { caller, params, body }) =>
    archiveByExpiry(cx, caller, params.team_id, 'received', body),
  ),
  route(wire.unarchiveSent, (cx, { caller, params, body }) =>
    unarchiveByExpiry(cx, caller, params.team_id, 'sent', body),
  ),
  route(wire.unarchiveReceived, (cx, { caller, params, body }) =>
    unarchiveByExpiry(cx, caller, params.team_id, 'received', body),
  ),
]
