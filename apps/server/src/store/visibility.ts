import { type Reads, type Sql, sql } from '#platform/db'

/** Who looks: a member who sees everything of the Team, or one who sees what they were let into. */
export interface Viewer {
  readonly membershipId: string
  readonly seesAll: boolean
}

const everything = sql`true`

/** Portals (as `o`) that the viewer sees: regular ones, and private ones whose access list names the viewer. */
export const seenPortal = (viewer: Viewer): Sql =>
  viewer.seesAll
    ? everything
    : sql`(o.access_level = 'regular' or exists (
        select 1 from portal_access a
         where a.team_id = o.team_id and a.portal_id = o.id and a.membership_id = ${viewer.membershipId}))`

/**
 * Packages (as `p`) that the viewer sees: of those that the Team sent, the ones outside of all Teamspaces and in the
 * viewer's own; of those that were received, the ones whose Portal the viewer sees. A deleted Portal still says who
 * that is.
 */
export const seenPackage = (viewer: Viewer): Sql =>
  viewer.seesAll
    ? everything
    : sql`case when p.portal_id is null
               then p.teamspace_id is null or exists (
                 select 1 from teamspace_members tm
                  where tm.team_id = p.team_id and tm.teamspace_id = p.teamspace_id
                    and tm.membership_id = ${viewer.membershipId})
               else exists (
                 select 1 from portals o
                  where o.team_id = p.team_id and o.id = p.portal_id and ${seenPortal(viewer)}) end`

/** The same rule for lists: it is the same for all packages of a Teamspace or Portal, so it need not be asked for each. */
export interface Sight {
  readonly spaces: readonly string[]
  readonly hiddenPortals: readonly string[]
}

export const sightOf = (reads: Reads, teamId: string, viewer: Viewer) =>
  reads.row<Sight>(sql`
    select array(select tm.teamspace_id::text from teamspace_members tm
                  where tm.team_id = ${teamId} and tm.membership_id = ${viewer.membershipId}) as spaces,
           array(select o.id::text from portals o
                  where o.team_id = ${teamId} and not ${seenPortal(viewer)}) as "hiddenPortals"
  `)

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
