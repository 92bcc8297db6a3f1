import { type Reads, type Sql, sql, type Tx } from '#platform/db'
import type { FieldRow } from './forms.ts'
import { seenPortal, type Viewer } from './visibility.ts'

/** What is set of a Portal. */
export interface PortalFields {
  readonly name: string
  readonly subdomain: string
  readonly message: string
  readonly active: boolean
  readonly has_access_code: boolean
  readonly access_code_sealed: Buffer | null
  readonly recipients: readonly string[]
  readonly cc_recipients: readonly string[]
  readonly disable_upload_receipt: boolean
  readonly has_download_password: boolean
  readonly download_password_sealed: Buffer | null
  readonly custom_expiry_days: number
  readonly tag_id: string | null
  readonly access_level: 'regular' | 'private'
  readonly teamspace_id: string | null
  readonly terms_of_service_enabled: boolean
  readonly terms_of_service: { readonly title?: string; readonly text?: string }
  readonly package_size_restriction_enabled: boolean
  readonly max_package_size: number
  readonly max_file_size: number
  readonly max_file_count: number
  readonly file_type_restriction_enabled: boolean
  readonly file_types: readonly string[]
  readonly expiry_enabled: boolean
  readonly expiry: Date | null
  readonly primary_color: string
  readonly logo_url: string
  readonly background_url: string
}

export interface PortalRow extends PortalFields {
  readonly team_id: string
  readonly id: string
  readonly tag_name: string | null
  /** Whether its time is over, by the clock of the database. */
  readonly expired: boolean
  readonly webhook_ids: readonly string[]
  readonly connection_ids: readonly string[]
  readonly access_list: readonly string[]
  /** The fields of its form, unless it has none or a disabled one. */
  readonly form_fields: readonly FieldRow[] | null
  readonly created_at: Date
  readonly updated_at: Date
}

const set = sql`
  name, subdomain, message, active, has_access_code, access_code_sealed, recipients, cc_recipients,
  disable_upload_receipt, has_download_password, download_password_sealed, custom_expiry_days, tag_id, access_level,
  teamspace_id, terms_of_service_enabled, terms_of_service, package_size_restriction_enabled, max_package_size,
  max_file_size, max_file_count, file_type_restriction_enabled, file_types, expiry_enabled, expiry, primary_color,
  logo_url, background_url`

const valuesOf = (portal: PortalFields): Sql => sql`
  ${portal.name}, ${portal.subdomain}, ${portal.message}, ${portal.active}, ${portal.has_access_code},
  ${portal.access_code_sealed}, ${portal.recipients}, ${portal.cc_recipients}, ${portal.disable_upload_receipt},
  ${portal.has_download_password}, ${portal.download_password_sealed}, ${portal.custom_expiry_days}, ${portal.tag_id},
  ${portal.access_level}, ${portal.teamspace_id}, ${portal.terms_of_service_enabled},
  ${JSON.stringify(portal.terms_of_service)}, ${portal.package_size_restriction_enabled}, ${portal.max_package_size},
  ${portal.max_file_size}, ${portal.max_file_count}, ${portal.file_type_restriction_enabled}, ${portal.file_types},
  ${portal.expiry_enabled}, ${portal.expiry}, ${portal.primary_color}, ${portal.logo_url}, ${portal.background_url}`

const columns = sql`
  o.*, (o.expiry_enabled and o.expiry <= now()) is true as expired,
  (select t.name from tags t where t.team_id = o.team_id and t.id = o.tag_id and t.active) as tag_name,
  array(select w.webhook_id::text from portal_webhooks w
         where w.team_id = o.team_id and w.portal_id = o.id order by 1) as webhook_ids,
  array(select c.connection_id::text from portal_connections c
         where c.team_id = o.team_id and c.portal_id = o.id order by 1) as connection_ids,
  array(select a.membership_id::text from portal_access a
         where a.team_id = o.team_id and a.portal_id = o.id order by 1) as access_list,
  (select f.fields from forms f where f.team_id = o.team_id and f.portal_id = o.id and not f.disabled) as form_fields`

/** Whoever's Portal it is. */
export const portalById = (reads: Reads, id: string) =>
  reads.row<PortalRow>(sql`select ${columns} from portals o where o.id = ${id} and o.deleted_at is null`)

export const portalBySubdomain = (reads: Reads, subdomain: string) =>
  reads.row<PortalRow>(sql`select ${columns} from portals o where o.subdomain = ${subdomain} and o.deleted_at is null`)

export const isPortalSeen = async (reads: Reads, teamId: string, id: string, viewer: Viewer): Promise<boolean> =>
  (await reads.row(
    sql`select 1 from portals o where o.team_id = ${teamId} and o.id = ${id} and ${seenPortal(viewer)}`,
  )) !== undefined

/** Fails with `portals_subdomain` when another Portal has the subdomain. */
export const insertPortal = (tx: Tx, teamId: string, id: string, portal: PortalFields) =>
  tx.run(sql`insert into portals (team_id, id, ${set}) values (${teamId}, ${id}, ${valuesOf(portal)})`)

/** Fails with `portals_subdomain` when another Portal has the subdomain. Returns false when the Portal was deleted. */
export const updatePortalRow = async (tx: Tx, teamId: string, id: string, portal: PortalFields): Promise<boolean> =>
  (await tx.run(sql`
    update portals set (${set}, updated_at) = (${valuesOf(portal)}, now())
     where team_id = ${teamId} and id = ${id} and deleted_at is null
  `)) === 1

/** Locks a Portal against other changes of it. Undefined when it was deleted. */
export const lockPortal = (tx: Tx, teamId: string, id: string) =>
  tx.row<{ id: string }>(sql`
    select id from portals where team_id = ${teamId} and id = ${id} and deleted_at is null for no key update
  `)

/** Returns false when it was deleted before. */
export const deletePortalRow = async (tx: Tx, teamId: string, id: string): Promise<boolean> =>
  (await tx.run(sql`
    update portals set deleted_at = now(), updated_at = now()
     where team_id = ${teamId} and id = ${id} and deleted_at is null
  `)) === 1

/** Makes these the members on the access list. Answers how many of them the Team has. */
export async function replaceAccessList(
  tx: Tx,
  teamId: string,
  portalId: string,
  membershipIds: readonly string[],
): Promise<number> {
  await tx.run(sql`delete from portal_access where team_id = ${teamId} and portal_id = ${portalId}`)
  return tx.run(sql`
    insert into portal_access (team_id, portal_id, membership_id)
    select m.team_id, ${portalId}, m.id from memberships m
     where m.team_id = ${teamId} and m.id = any(${membershipIds}::uuid[])
  `)
}

/** Makes these the attached webhooks. Answers how many of them the Team has. */
export async function replaceWebhooks(
  tx: Tx,
  teamId: string,
  portalId: string,
  webhookIds: readonly string[],
): Promise<number> {
  await tx.run(sql`delete from portal_webhooks where team_id = ${teamId} and portal_id = ${portalId}`)
  return tx.run(sql`
    insert into portal_webhooks (team_id, portal_id, webhook_id)
    select w.team_id, ${portalId}, w.id from webhooks w
     where w.team_id = ${teamId} and w.id = any(${webhookIds}::uuid[])
  `)
}

/** Makes these the attached cloud connections. Answers how many of them the Team has, and may send to. */
export async function replaceConnections(
  tx: Tx,
  teamId: string,
  portalId: string,
  connectionIds: readonly string[],
): Promise<number> {
  await tx.run(sql`delete from portal_connections where team_id = ${teamId} and portal_id = ${portalId}`)
  return tx.run(sql`
    insert into portal_connections (team_id, portal_id, connection_id)
    select c.team_id, ${portalId}, c.id from cloud_connections c
     where c.team_id = ${teamId} and c.id = any(${connectionIds}::uuid[]) and c.direction <> 'import'
  `)
}

/** What a Portal takes. Also of a deleted one: its open packages go on under the same limits. */
export type PortalLimits = Pick<
  PortalFields,
  | 'package_size_restriction_enabled'
  | 'max_package_size'
  | 'max_file_size'
  | 'max_file_count'
  | 'file_type_restriction_enabled'
  | 'file_types'
>

export const portalLimits = (reads: Reads, teamId: string, id: string) =>
  reads.row<PortalLimits>(sql`
    select package_size_restriction_enabled, max_package_size, max_file_size, max_file_count,
           file_type_restriction_enabled, file_types
      from portals where team_id = ${teamId} and id = ${id}
  `)

export interface PortalQuery {
  readonly name?: string | undefined
  readonly subdomain?: string | undefined
  readonly tags?: readonly string[] | undefined
  readonly teamspaces?: readonly string[] | undefined
}

const wanted = (teamId: string, viewer: Viewer, query: PortalQuery): Sql => sql`
  o.team_id = ${teamId} and o.deleted_at is null and ${seenPortal(viewer)}
  and (${query.name}::text is null or position(lower(${query.name}) in lower(o.name)) > 0)
  and (${query.subdomain}::text is null or position(lower(${query.subdomain}) in o.subdomain) > 0)
  and (${query.tags}::uuid[] is null or exists (
    select 1 from tags t
     where t.team_id = o.team_id and t.id = o.tag_id and t.active and t.id = any(${query.tags}::uuid[])))
  and (${query.teamspaces}::uuid[] is null or o.teamspace_id = any(${query.teamspaces}::uuid[]))`

const portalOrders = {
  name: sql`lower(o.name), o.id`,
  '-name': sql`lower(o.name) desc, o.id desc`,
  created_at: sql`o.created_at, o.id`,
  '-created_at': sql`o.created_at desc, o.id desc`,
  active: sql`o.active, o.id`,
  '-active': sql`o.active desc, o.id desc`,
} as const

export type PortalOrder = keyof typeof portalOrders

export const portalsOfTeam = (
  reads: Reads,
  teamId: string,
  viewer: Viewer,
  query: PortalQuery,
  page: { readonly order: PortalOrder; readonly limit: number; readonly offset: number },
) =>
  reads.rows<PortalRow>(sql`
    select ${columns} from portals o
     where ${wanted(teamId, viewer, query)}
     order by ${portalOrders[page.order]}
     limit ${page.limit} offset ${page.offset}
  `)

export const countPortals = async (reads: Reads, teamId: string, viewer: Viewer, query: PortalQuery): Promise<number> =>
  (
    await reads.row<{ total: number }>(sql`
      select count(*)::integer as total from portals o where ${wanted(teamId, viewer, query)}
    `)
  )?.total ?? 0

/** One batch of all Portals that the viewer sees, newest first, behind the one given. */
export const portalsAfter = (
  reads: Reads,
  teamId: string,
  viewer: Viewer,
  after: Pick<PortalRow, 'created_at' | 'id'> | undefined,
  limit: number,
) =>
  reads.rows<PortalRow>(sql`
    select ${columns} from portals o
     where ${wanted(teamId, viewer, {})}
       and (${after?.id}::uuid is null or (o.created_at, o.id) < (${after?.created_at}::timestamptz, ${after?.id}::uuid))
     order by o.created_at desc, o.id desc
     limit ${limit}
  `)
