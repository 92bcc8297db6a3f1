import { type Reads, sql } from '#platform/db'
import type { PackageName } from '#store/packages'

/** Where a living package stands in the order in which the store lists its objects. */
export interface LivingPackage {
  readonly slice: number
  readonly team_id: string
  readonly id: string
}

/** Packages that still own what is stored for them, in the order of their object keys, from a place on. */
export const livingPackagesFrom = (
  reads: Reads,
  location: string,
  { slice, team_id, id }: LivingPackage,
  { limit, inclusive }: { limit: number; inclusive: boolean },
) =>
  reads.rows<LivingPackage>(sql`
    select object_slice(id) as slice, team_id, id
      from packages
     where state in ('new', 'finalized') and storage_location = ${location}
       and (object_slice(id), team_id, id) ${inclusive ? sql`>=` : sql`>`} (${slice}::integer, ${team_id}::uuid, ${id}::uuid)
     order by object_slice(id), team_id, id
     limit ${limit}
  `)

export interface OwnedFile {
  readonly team_id: string
  readonly package_id: string
  readonly id: string
  readonly object_key: string
  readonly size: number | null
  /** Its bytes must be there. Otherwise they may be on their way. */
  readonly finalized: boolean
  /** Null where none was begun, or where it no longer matters. */
  readonly upload_id: string | null
}

/**
 * The files of some packages that have a place in the store, ordered by package as given and then by their own id,
 * behind the place given.
 */
export const filesOfPackages = (
  reads: Reads,
  packages: readonly PackageName[],
  after: { readonly package_id: string; readonly id: string } | undefined,
  limit: number,
) =>
  reads.rows<OwnedFile>(sql`
    with wanted as (
      select * from unnest(${packages.map((pkg) => pkg.teamId)}::uuid[], ${packages.map((pkg) => pkg.packageId)}::uuid[])
        with ordinality as w (team_id, package_id, place)
    )
    select f.team_id, f.package_id, f.id, f.object_key, f.size, f.state = 'finalized' as finalized, f.upload_id
      from wanted w
      join files f on f.team_id = w.team_id and f.package_id = w.package_id
     where f.object_key is not null
       and (w.place, f.id) > (coalesce((select place from wanted where package_id = ${after?.package_id}::uuid), 0),
                              coalesce(${after?.id}::uuid, '00000000-0000-0000-0000-000000000000'))
     order by w.place, f.id
     limit ${limit}
  `)

export interface FileName extends PackageName {
  readonly fileId: string
}

/** Those of the given files that a living package has, as they are now. */
export const livingFiles = (reads: Reads, files: readonly FileName[]) =>
  reads.rows<OwnedFile>(sql`
    select f.team_id, f.package_id, f.id, f.object_key, f.size, f.state = 'finalized' as finalized, f.upload_id
      from unnest(${files.map((file) => file.teamId)}::uuid[], ${files.map((file) => file.packageId)}::uuid[],
                  ${files.map((file) => file.fileId)}::uuid[]) as w (team_id, package_id, id)
      join files f on f.team_id = w.team_id and f.package_id = w.package_id and f.id = w.id
      join packages p on p.team_id = w.team_id and p.id = w.package_id
     where f.object_key is not null and p.state in ('new', 'finalized')
  `)

/** Those of the given packages that ended less than so many hours ago: their removal is still on its way. */
export const endedLately = async (
  reads: Reads,
  packages: readonly PackageName[],
  hours: number,
): Promise<ReadonlySet<string>> => {
  const rows = await reads.rows<{ id: string }>(sql`
    select p.id
      from unnest(${packages.map((pkg) => pkg.teamId)}::uuid[], ${packages.map((pkg) => pkg.packageId)}::uuid[])
             as w (team_id, id)
      join packages p on p.team_id = w.team_id and p.id = w.id
     where p.state in ('expired', 'archived')
       and coalesce(p.expired_at, p.updated_at) > now() - make_interval(hours => ${hours})
  `)
  return new Set(rows.map(({ id }) => id))
}
