import { type Static, Type } from 'typebox'
import { endpoint } from '#endpoint'
import { Bytes, Count, Id } from '#shapes'
import { PackageParams, PackageState, TeamParams } from './packages.ts'
import { WebhookEvent } from './webhooks.ts'

/** Data of a `package.progress` event, sent at most once a second for a package. */
export const PackageProgress = Type.Object({
  package_id: Id,
  state: PackageState,
  uploaded_bytes: Bytes,
  size: Bytes,
  files_done: Count,
  total_files: Count,
})

export type Progress = Static<typeof PackageProgress>

/** Data of every other event of a package: what a webhook gets, without what is the webhook's own. */
export const PackageChange = Type.Pick(WebhookEvent, ['event_id', 'event_type', 'object'])

const stream = {
  chapter: 'Realtime',
  method: 'GET',
  status: 200,
  replyType: 'text/event-stream',
} as const

export const packageEvents = endpoint({
  ...stream,
  summary: 'Follow a package',
  description: 'Server-sent events. After a break, Last-Event-ID goes on where the stream stopped.',
  path: '/v1/packages/:package_id/events',
  credential: 'package-token',
  levels: ['manage', 'write', 'read'],
  params: PackageParams,
  refusals: ['package_not_found', 'package_expired'],
})

export const teamEvents = endpoint({
  ...stream,
  summary: 'Follow the packages of a Team',
  description:
    'Server-sent events of the packages the caller may see. After a break, Last-Event-ID goes on where the stream stopped.',
  path: '/v1/teams/:team_id/events',
  credential: 'user',
  params: TeamParams,
  refusals: ['team_not_found'],
})

export const reportProgress = endpoint({
  chapter: 'Realtime',
  summary: 'Report how much of a package is sent',
  description: 'Only for those who follow the package; nothing else depends on it.',
  method: 'POST',
  path: '/v1/packages/:package_id/progress',
  credential: 'package-token',
  levels: ['manage', 'write'],
  params: PackageParams,
  body: Type.Object({ uploaded_bytes: Bytes }),
  status: 204,
  refusals: ['package_not_found', 'package_not_new', 'package_expired'],
})
