import { type Reads, type Sql, sql } from '#platform/db'

/** Who looks: a member who sees everything of the Team, or one who sees what they were let into. */
export interface Viewer {
  readonly membershipId: string
  readonly seesAll: boolean
}

const everything = sql`true`

const inTheirSpaces = (row: Sql, viewer: Viewer): Sql => sql`
  (${row}.teamspace_id is null or exists (
     select 1 from teamspace_members tm
      where tm.team_id = ${row}.team_id and tm.teamspace_id = ${row}.teamspace_id
        and tm.membership_id = ${viewer.membershipId}))`

/**
 * Portals (as `o`) that the viewer sees: those outside of all Teamspaces and of the viewer's own, and of these the
 * private ones only where the access list names the viewer.
 */
export const seenPortal = (viewer: Viewer): Sql =>
  viewer.seesAll
    ? everything
    : sql`${inTheirSpaces(sql`o`, viewer)}
      and (o.access_level = 'regular' or exists (
        select 1 from portal_access a
         where a.team_id = o.team_id and a.portal_id = o.id and a.membership_id = ${viewer.membershipId}))`

/**
 * Packages (as `p`) that the viewer sees: those outside of all Teamspaces and of the viewer's own; and what came through
 * a private Portal only where its access list names the viewer. A deleted Portal still says who that is.
 */
export const seenPackage = (viewer: Viewer): Sql =>
  viewer.seesAll
    ? everything
    : sql`${inTheirSpaces(sql`p`, viewer)}
      and (p.portal_id is null or exists (
        select 1 from portals o
         where o.team_id = p.team_id and o.id = p.portal_id
           and (o.access_level = 'regular' or exists (
             select 1 from portal_access a
              where a.team_id = o.team_id and a.portal_id = o.id and a.membership_id = ${viewer.membershipId}))))`

/** Whether the viewer sees packages that lie in this Teamspace and came through this Portal. */
export const seesPackagesOf = async (
  reads: Reads,
  viewer: Viewer,
  place: { readonly teamId: string; readonly teamspaceId: string | null; readonly portalId: string | null },
): Promise<boolean> =>
  (await reads.row(sql`
    select 1
      from (select ${place.teamId}::uuid as team_id, ${place.teamspaceId}::uuid as teamspace_id,
                   ${place.portalId}::uuid as portal_id) p
     where ${seenPackage(viewer)}
  `)) !== undefined
