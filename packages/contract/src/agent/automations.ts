import { type TObject, type TProperties, Type } from 'typebox'
import { endpoint } from '#endpoint'
import { MiB } from '#limits'
import { Count, Email, Id, Line, Secret, TagObject, Text, Time, Word } from '#shapes'
import { Done, HostPath, Priority } from './shapes.ts'

export const automationTypes = [
  'portal_download',
  'all_portals_download',
  'team_upload',
  'portal_upload',
  'team_stream',
  'portal_stream',
] as const

/** All but `all_portals_download`, which means nothing to an agent of another Team. */
export const exportableTypes = [
  'portal_download',
  'portal_upload',
  'team_upload',
  'team_stream',
  'portal_stream',
] as const

const chapter = 'Automations'

const Name = Line(255, { minLength: 1 })
const Subdomain = Type.String({ minLength: 1, maxLength: 63 })
const Patterns = Type.Array(Line(1_024, { minLength: 1 }), {
  maxItems: 1_000,
  description: 'In the manner of gitignore.',
})
const Recipients = Type.Array(Email, { maxItems: 1_000, uniqueItems: true })
const Enabled = Type.Optional(Type.Boolean({ description: 'True if left out.' }))
const EffectiveTime = Type.Optional(Time)
const Quiet = (unit: string) =>
  Type.Integer({ minimum: 1, maximum: 1_000_000, description: `${unit} without a change, before it is sent.` })

const downloads = {
  name: Name,
  dst_folder: HostPath,
  effective_time: EffectiveTime,
  enabled: Enabled,
  download_priority: Type.Optional(Priority),
}

const PortalDownload = Type.Object({
  ...downloads,
  portal_subdomain: Subdomain,
  create_package_folder: Type.Optional(Type.Boolean()),
})

const AllPortalsDownload = Type.Object({
  ...downloads,
  team_id: Id,
  create_portal_subfolder: Type.Optional(Type.Boolean()),
})

const uploads = { name: Name, enabled: Type.Boolean(), path: HostPath, message: Type.Optional(Text(10_000)) }

const asTeam = {
  recipient_emails: Recipients,
  team_id: Id,
  delete_after: Type.Optional(Type.Integer({ minimum: 1, maximum: 36_500 })),
  download_limit: Type.Optional(Count),
  download_password: Type.Optional(Secret),
  tag: Type.Optional(TagObject),
  unlimited_storage: Type.Optional(Type.Boolean()),
  upload_priority: Type.Optional(Priority),
}

const toPortal = {
  portal_subdomain: Subdomain,
  sender_email: Email,
  portal_password: Type.Optional(Secret),
  upload_priority: Type.Optional(Priority),
}

const watched = {
  timeout: Quiet('Minutes'),
  blacklist: Type.Optional(Patterns),
  delete_files_after_upload: Type.Optional(Type.Boolean()),
  package_name_suffix: Type.Optional(Line(255)),
  send_loose_files: Type.Optional(Type.Boolean()),
}

const streamed = { timeout: Quiet('Seconds'), whitelist: Type.Optional(Patterns) }

const TeamUpload = Type.Object({ ...uploads, ...asTeam, ...watched })
const PortalUpload = Type.Object({ ...uploads, ...toPortal, ...watched })
const TeamStream = Type.Object({ ...uploads, ...asTeam, ...streamed })
const PortalStream = Type.Object({ ...uploads, ...toPortal, ...streamed })

const state = {
  automation_id: Id,
  type: Word(automationTypes),
  state: Word(['running', 'idle', 'error', 'disabled'], {
    description: '`running` while something of it is under way; `error` until the next round succeeds.',
  }),
  last_run_at: Time,
  last_error: Type.String({ description: 'Empty where nothing is wrong.' }),
}

const Automation = <Fields extends TProperties>(fields: TObject<Fields>) =>
  Type.Object({ ...fields.properties, ...state })

/** Any of the six: passwords are never shown. */
export const ListedAutomation = Type.Union([
  Automation(PortalDownload),
  Automation(AllPortalsDownload),
  Automation(TeamUpload),
  Automation(PortalUpload),
  Automation(TeamStream),
  Automation(PortalStream),
])

const AutomationParams = Type.Object({ automation_id: Id })
const TypedParams = Type.Object({ type: Word(automationTypes), automation_id: Id })

export const listAutomations = endpoint({
  chapter,
  summary: 'List automations',
  method: 'GET',
  path: '/api/v1/automations',
  credential: 'agent',
  status: 200,
  reply: Type.Object({ automations: Type.Array(ListedAutomation) }),
  refusals: [],
})

const create = { chapter, method: 'POST', status: 201, bodyLimit: MiB, idempotent: true, refusals: [] } as const
const update = { chapter, method: 'PUT', params: AutomationParams, status: 200, bodyLimit: MiB } as const

export const createPortalDownload = endpoint({
  ...create,
  summary: 'Fetch new packages of a Portal',
  path: '/api/v1/automations/portal_download',
  credential: 'agent-session',
  body: PortalDownload,
  reply: Automation(PortalDownload),
})

export const createAllPortalsDownload = endpoint({
  ...create,
  summary: 'Fetch new packages of all Portals of a Team',
  path: '/api/v1/automations/all_portals_download',
  credential: 'agent-session',
  body: AllPortalsDownload,
  reply: Automation(AllPortalsDownload),
})

export const createTeamUpload = endpoint({
  ...create,
  summary: 'Watch a folder and send each subfolder as a Team',
  path: '/api/v1/automations/team_upload',
  credential: 'agent-session',
  body: TeamUpload,
  reply: Automation(TeamUpload),
})

export const createPortalUpload = endpoint({
  ...create,
  summary: 'Watch a folder and send each subfolder to a Portal',
  path: '/api/v1/automations/portal_upload',
  credential: 'agent',
  body: PortalUpload,
  reply: Automation(PortalUpload),
})

export const createTeamStream = endpoint({
  ...create,
  summary: 'Send files as a Team while they grow',
  path: '/api/v1/automations/team_stream',
  credential: 'agent-session',
  body: TeamStream,
  reply: Automation(TeamStream),
})

export const createPortalStream = endpoint({
  ...create,
  summary: 'Send files to a Portal while they grow',
  path: '/api/v1/automations/portal_stream',
  credential: 'agent',
  body: PortalStream,
  reply: Automation(PortalStream),
})

export const updatePortalDownload = endpoint({
  ...update,
  summary: 'Change a download from a Portal',
  description: 'What is left out stays.',
  path: '/api/v1/automations/portal_download/:automation_id',
  credential: 'agent',
  body: Type.Partial(PortalDownload),
  reply: Automation(PortalDownload),
  refusals: ['automation_not_found'],
})

export const updateAllPortalsDownload = endpoint({
  ...update,
  summary: 'Change a download from all Portals',
  description: 'What is left out stays.',
  path: '/api/v1/automations/all_portals_download/:automation_id',
  credential: 'agent',
  body: Type.Partial(AllPortalsDownload),
  reply: Automation(AllPortalsDownload),
  refusals: ['automation_not_found'],
})

export const updateTeamUpload = endpoint({
  ...update,
  summary: 'Change a watched folder of a Team',
  description: 'What is left out stays.',
  path: '/api/v1/automations/team_upload/:automation_id',
  credential: 'agent',
  body: Type.Partial(TeamUpload),
  reply: Automation(TeamUpload),
  refusals: ['automation_not_found'],
})

export const updatePortalUpload = endpoint({
  ...update,
  summary: 'Change a watched folder of a Portal',
  description: 'What is left out stays.',
  path: '/api/v1/automations/portal_upload/:automation_id',
  credential: 'agent',
  body: Type.Partial(PortalUpload),
  reply: Automation(PortalUpload),
  refusals: ['automation_not_found'],
})

export const updateTeamStream = endpoint({
  ...update,
  summary: 'Change a stream of a Team',
  description: 'What is left out stays.',
  path: '/api/v1/automations/team_stream/:automation_id',
  credential: 'agent',
  body: Type.Partial(TeamStream),
  reply: Automation(TeamStream),
  refusals: ['automation_not_found'],
})

export const updatePortalStream = endpoint({
  ...update,
  summary: 'Change a stream to a Portal',
  description: 'What is left out stays.',
  path: '/api/v1/automations/portal_stream/:automation_id',
  credential: 'agent',
  body: Type.Partial(PortalStream),
  reply: Automation(PortalStream),
  refusals: ['automation_not_found'],
})

export const deleteAutomation = endpoint({
  chapter,
  summary: 'Remove an automation',
  method: 'DELETE',
  path: '/api/v1/automations/:type/:automation_id',
  credential: 'agent',
  params: TypedParams,
  status: 200,
  reply: Done,
  refusals: ['automation_not_found'],
})

const Carried = Type.Object({
  data: Type.String({ minLength: 1, maxLength: MiB, pattern: '^[A-Za-z0-9+/=]*$', description: 'base64' }),
})

export const exportAutomation = endpoint({
  chapter,
  summary: 'Export an automation',
  description: 'Passwords are left out unless `include_secrets` asks for them.',
  method: 'GET',
  path: '/api/v1/automations/:type/:automation_id/export',
  credential: 'agent',
  params: Type.Object({ type: Word(exportableTypes), automation_id: Id }),
  query: Type.Object({ include_secrets: Type.Optional(Type.Boolean()) }),
  status: 200,
  reply: Carried,
  refusals: ['automation_not_found'],
})

export const importAutomation = endpoint({
  chapter,
  summary: 'Import an automation of another agent',
  method: 'POST',
  path: '/api/v1/automations/import',
  credential: 'agent',
  body: Carried,
  bodyLimit: 2 * MiB,
  status: 200,
  reply: Done,
  idempotent: true,
  refusals: ['automation_import_invalid'],
})
