import * as wire from '@longshore/contract/cloud/realtime'
import { followPackage } from '#domain/realtime/follow-package'
import { followTeam } from '#domain/realtime/follow-team'
import { reportProgress } from '#domain/realtime/report-progress'
import { EventStream } from '@longshore/kit/door/stream'
import { route } from './route.ts'

export const realtimeRoutes = [
  route(
    wire.packageEvents,
    async (cx, { params, ...asking }) => new EventStream(await followPackage(cx, asking, params.package_id)),
  ),
  route(
    wire.teamEvents,
    async (cx, { params, ...asking }) => new EventStream(await followTeam(cx, asking, params.team_id)),
  ),
  route(wire.reportProgress, (cx, { caller, params, body }) =>
    reportProgress(cx, caller, params.package_id, body.uploaded_bytes),
  ),
]
