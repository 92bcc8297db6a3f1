import * as wire from '@longshore/contract/cloud/links'
import { lookUpLink } from '#domain/links/look-up-link'
import { createLink, deleteLink, listLinks, updateLink } from '#domain/links/manage-links'
import { route } from './route.ts'

export const linkRoutes = [
  route(wire.createLink, (cx, { caller, params, body, once }) => createLink(cx, caller, params.package_id, body, once)),
  route(wire.listLinks, (cx, { caller, params }) => listLinks(cx, caller, params.package_id)),
  route(wire.updateLink, (cx, { caller, params, body }) =>
    updateLink(cx, caller, params.package_id, params.link_id, body),
  ),
  route(wire.deleteLink, (cx, { caller, params }) => deleteLink(cx, caller, params.package_id, params.link_id)),
  route(wire.lookUpLink, (cx, { params, query, linkPassword, address }) =>
    lookUpLink(
      cx,
      params.link_id,
      { secret: query.secret, password: linkPassword, earlierToken: query.earlier_token },
      address,
    ),
  ),
]
