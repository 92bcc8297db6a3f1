import { type Reads, sql, sqlName, type Tx } from '#platform/db'
import { hashPartition } from '#platform/hash-partition'
import { seenPackage, type Viewer } from './visibility.ts'

export type PackageState = 'new' | 'finalized' | 'expired' | 'archived'

export interface PackageRow {
  readonly team_id: string
  readonly id: string
  readonly portal_id: string | null
  readonly teamspace_id: string | null
  readonly teamspace_name: string | null
  readonly tag_id: string | null
  readonly tag_name: string | null
  readonly custom_metadata_id: string | null
  readonly name: string
  readonly description: string
  /** As it is at this second: a finalized package whose time is over reads `expired` before the worker comes by. */
  readonly state: PackageState
  readonly sender: string
  readonly recipients: readonly string[]
  readonly access_limit: number
  readonly password_sealed: Buffer | null
  readonly unlimited_storage: boolean
  readonly expiry: Date | null
  readonly custom_expiry: boolean
  readonly chunk_size: number
  readonly size: number
  readonly total_files: number
  readonly downloads: number
  readonly contains_virus: boolean
  readonly storage_location: string
  readonly token_serial: number
  readonly created_at: Date
  readonly updated_at: Date
  readonly finalized_at: Date | null
}

const stateNow = sql`case when p.state = 'finalized' and p.expiry <= now() then 'expired' else p.state end`

/** Columns of a `PackageRow`, of packages as `p`. */
export const packageColumns = sql`
  p.team_id, p.id, p.portal_id, p.teamspace_id, p.tag_id, p.custom_metadata_id, p.name, p.description,
  ${stateNow} as state,
  p.sender, p.recipients, p.access_limit, p.password_sealed, p.unlimited_storage, p.expiry, p.custom_expiry,
  p.chunk_size, p.size, p.total_files, p.downloads, p.contains_virus, p.storage_location, p.token_serial,
  p.created_at, p.updated_at, p.finalized_at,
  (select t.name from tags t where t.team_id = p.team_id and t.id = p.tag_id and t.active) as tag_name,
  (select s.name from teamspaces s where s.team_id = p.team_id and s.id = p.teamspace_id and s.deleted_at is null)
    as teamspace_name`

const partitionCount = 64
const partitions = Array.from({ length: partitionCount }, (_, index) =>
  sqlName(`packages_p${String(index).padStart(2, '0')}`),
)

/** The part of the table that holds a Team's packages. Only work on all Teams at once uses the whole. */
export const packagesOf = (teamId: string) => partitions[hashPartition(teamId, partitionCount)]

export const packageById = (reads: Reads, teamId: string, id: string) =>
  reads.row<PackageRow>(
    sql`select ${packageColumns} from ${packagesOf(teamId)} p where p.team_id = ${teamId} and p.id = ${id}`,
  )

/** The same for somebody of the Team. Undefined also when the viewer does not see it. */
export const seenPackageById = (reads: Reads, teamId: string, id: string, viewer: Viewer) =>
  reads.row<PackageRow>(sql`
    select ${packageColumns} from ${packagesOf(teamId)} p
     where p.team_id = ${teamId} and p.id = ${id} and ${seenPackage(viewer)}
  `)

export interface HeldPackageRow extends PackageRow {
  /** Whether the member that a management token was given to is still in the Team. */
  readonly holder_present: boolean
  /** Whether the link that a read token came from still gives access. */
  readonly link_open: boolean
  /** Whether that link has been used as often as it may, and never with this token. */
  readonly link_used_up: boolean
  readonly link_expiry: Date | null
}

/** A package together with everything that its token stands on, in one read. */
export const heldPackage = (
  reads: Reads,
  token: { tokenId: string; teamId: string; packageId: string; userId?: string; linkId?: string },
) =>
  reads.row<HeldPackageRow>(sql`
    select ${packageColumns},
           ${token.userId}::uuid is null or exists (
             select 1 from memberships m where m.team_id = p.team_id and m.user_id = ${token.userId}::uuid
           ) as holder_present,
           ${token.linkId}::uuid is null or coalesce(
             l.active and l.deleted_at is null and (l.expiry is null or l.expiry > now()), false
           ) as link_open,
           coalesce(l.access_limit > 0 and l.access_count >= l.access_limit and not exists (
             select 1 from link_accesses a where a.link_id = l.id and a.token_id = ${token.tokenId}
           ), false) as link_used_up,
           l.expiry as link_expiry
      from ${packagesOf(token.teamId)} p
      left join links l on l.id = ${token.linkId}::uuid and l.team_id = p.team_id and l.package_id = p.id
     where p.team_id = ${token.teamId} and p.id = ${token.packageId}
  `)

export interface NewPackage {
  readonly id: string
  readonly teamId: string
  readonly name: string
  readonly description: string
  readonly sender: string
  readonly recipients: readonly string[]
  readonly accessLimit: number
  readonly passwordSealed: Buffer | null
  readonly unlimitedStorage: boolean
  /** Days from now; null for unlimited storage. */
  readonly expiryDays: number | null
  readonly chunkSize: number
  readonly tagId: string | null
  readonly storageLocation: string
  readonly teamspaceId: string | null
  /** What a package takes over from the Portal that it came through. */
  readonly portal?: {
    readonly id: string
    readonly responseId: string | null
    readonly customExpiry: boolean
  }
}

export const insertPackage = (tx: Tx, pkg: NewPackage) =>
  tx.row<PackageRow>(sql`
    insert into ${packagesOf(pkg.teamId)} as p (team_id, id, name, description, sender, recipients, access_limit, password_sealed,
                               unlimited_storage, expiry, chunk_size, tag_id, storage_location, portal_id,
                               teamspace_id, custom_metadata_id, custom_expiry)
    values (${pkg.teamId}, ${pkg.id}, ${pkg.name}, ${pkg.description}, ${pkg.sender}, ${pkg.recipients},
            ${pkg.accessLimit}, ${pkg.passwordSealed}, ${pkg.unlimitedStorage},
            now() + make_interval(days => ${pkg.expiryDays}::integer), ${pkg.chunkSize}, ${pkg.tagId},
            ${pkg.storageLocation}, ${pkg.portal?.id}, ${pkg.teamspaceId}, ${pkg.portal?.responseId},
            ${pkg.portal?.customExpiry ?? false})
    returning ${packageColumns}
  `)

export interface LockedPackage {
  readonly state: PackageState
  readonly size: number
  readonly portal_id: string | null
  readonly stale: boolean
  /** What the files of a Portal package add up to so far. Not kept for packages of a Team, which have no limits. */
  readonly declared_files: number
  readonly declared_size: number
}

/**
 * Locks a package against every other change of it or its files, until the transaction ends.
 *
 * Adding a file, finalizing a file, finalizing and deleting the package all begin here, so each of
 * them sees the outcome of the one before.
 */
export const lockPackage = (tx: Tx, teamId: string, id: string) =>
  tx.row<LockedPackage>(sql`
    select ${stateNow} as state, p.size, p.portal_id, p.active_at < now() - interval '1 hour' as stale,
           p.declared_files, p.declared_size
      from ${packagesOf(teamId)} p
     where p.team_id = ${teamId} and p.id = ${id}
       for no key update
  `)

/** Keeps what the files of a Portal package add up to. Takes the lock of the package for granted. */
export const declare = (tx: Tx, teamId: string, id: string, added: { files: number; size: number }) =>
  tx.run(sql`
    update ${packagesOf(teamId)}
       set declared_files = declared_files + ${added.files}, declared_size = declared_size + ${added.size}
     where team_id = ${teamId} and id = ${id}
  `)

/** Notes that somebody works on a package, so that it is not given up as abandoned. */
export const noteActivity = (tx: Tx, teamId: string, id: string) =>
  tx.run(sql`update ${packagesOf(teamId)} set active_at = now() where team_id = ${teamId} and id = ${id}`)

export interface PackageChange {
  readonly name: string
  readonly description?: string | undefined
  readonly tagId: string | null
  readonly accessLimit?: number | undefined
  readonly passwordSealed?: Buffer | null | undefined
  readonly recipients?: readonly string[] | undefined
}

/** Changes a package that is new or finalized. Undefined when it is neither. */
export const updatePackageRow = (tx: Tx, teamId: string, id: string, change: PackageChange) =>
  tx.row<PackageRow>(sql`
    update ${packagesOf(teamId)} p
       set name = ${change.name},
           description = coalesce(${change.description}, description),
           tag_id = ${change.tagId},
           access_limit = coalesce(${change.accessLimit}, access_limit),
           password_sealed = case when ${change.passwordSealed !== undefined}::boolean
                                  then ${change.passwordSealed}::bytea else password_sealed end,
           recipients = coalesce(${change.recipients}::text[], recipients),
           updated_at = now()
     where team_id = ${teamId} and id = ${id}
       and (state = 'new' or state = 'finalized' and (expiry is null or expiry > now()))
    returning ${packageColumns}
  `)

/** Sets or removes the expiry of a package that is new or finalized. Undefined when it is neither. */
export const setExpiry = (tx: Tx, teamId: string, id: string, expiry: Date | null) =>
  tx.row<PackageRow>(sql`
    update ${packagesOf(teamId)} p
       set expiry = ${expiry}, unlimited_storage = ${expiry === null}, custom_expiry = true, updated_at = now()
     where team_id = ${teamId} and id = ${id}
       and (state = 'new' or state = 'finalized' and (expiry is null or expiry > now()))
    returning ${packageColumns}
  `)

/**
 * Moves a package from new to finalized and settles its totals. Undefined when it is not new.
 *
 * Takes the lock of the package for granted: a statement that waited for it would sum up the files as they were before.
 */
export const closePackage = (tx: Tx, teamId: string, id: string) =>
  tx.row<PackageRow>(sql`
    update ${packagesOf(teamId)} p
       set state = 'finalized', finalized_at = now(), updated_at = now(), size = f.size, total_files = f.files
      from (select coalesce(sum(size), 0)::bigint as size, count(*)::integer as files
              from files
             where team_id = ${teamId} and package_id = ${id} and kind = 'file') f
     where p.team_id = ${teamId} and p.id = ${id} and p.state = 'new'
    returning ${packageColumns}
  `)

/** Ends a package that is new or finalized. Undefined when it had ended before. */
export const endPackage = (tx: Tx, teamId: string, id: string) =>
  tx.row<PackageRow>(sql`
    update ${packagesOf(teamId)} p
       set state = 'expired', expired_at = now(), updated_at = now(), expiry = least(expiry, now())
     where team_id = ${teamId} and id = ${id} and state in ('new', 'finalized')
    returning ${packageColumns}
  `)

/** A package as orders name it. */
export interface PackageName {
  readonly teamId: string
  readonly packageId: string
}

export interface EndedBetween {
  /** Both inclusive. */
  readonly from: Date
  readonly to: Date
  /** Those that came through a Portal, or those that the Team sent. */
  readonly received: boolean
}

/** Ends finalized packages whose time is over. Several workers share the work without waiting for each other. */
export const expireDueRows = (tx: Tx, limit: number) =>
  tx.rows<PackageRow>(sql`
    update packages p
       set state = 'expired', expired_at = now(), updated_at = now()
      from (select team_id, id from packages
             where state = 'finalized' and expiry <= now()
             order by expiry
             limit ${limit}
               for update skip locked) due
     where p.team_id = due.team_id and p.id = due.id
    returning ${packageColumns}
  `)

/** The same for those of one Team whose end lies between two times. */
export const expireDueRowsBetween = (tx: Tx, teamId: string, { from, to, received }: EndedBetween, limit: number) =>
  tx.rows<PackageRow>(sql`
    update ${packagesOf(teamId)} p
       set state = 'expired', expired_at = now(), updated_at = now()
      from (select id from ${packagesOf(teamId)}
             where team_id = ${teamId} and received = ${received} and state = 'finalized'
               and expiry <= now() and expiry between ${from} and ${to}
             order by expiry
             limit ${limit}
               for update skip locked) due
     where p.team_id = ${teamId} and p.id = due.id
    returning ${packageColumns}
  `)

/** Ends packages that are still new and were left alone for so many days. */
export const giveUpAbandonedRows = (tx: Tx, days: number, limit: number) =>
  tx.rows<PackageRow>(sql`
    update packages p
       set state = 'expired', expired_at = now(), updated_at = now(), expiry = least(expiry, now())
      from (select team_id, id from packages
             where state = 'new' and active_at < now() - make_interval(days => ${days})
             order by active_at
             limit ${limit}
               for update skip locked) due
     where p.team_id = due.team_id and p.id = due.id
    returning ${packageColumns}
  `)

/** Marks a package that a virus was found in. */
export const flagInfected = (tx: Tx, teamId: string, id: string) =>
  tx.run(sql`
    update ${packagesOf(teamId)} set contains_virus = true, updated_at = now()
     where team_id = ${teamId} and id = ${id}
  `)

export const countDownload = (tx: Tx, teamId: string, id: string) =>
  tx.row<PackageRow>(sql`
    update ${packagesOf(teamId)} p set downloads = downloads + 1 where team_id = ${teamId} and id = ${id}
    returning ${packageColumns}
  `)

export interface PackageProgressRow {
  readonly id: string
  readonly state: PackageState
  readonly portal_id: string | null
  readonly teamspace_id: string | null
  readonly size: number
  readonly total_files: number
  readonly files_done: number
  readonly bytes_done: number
  /** False while a file is on its way whose size nobody has said. */
  readonly sizes_known: boolean
}

/** How far a package is. The files of one that is closed need not be counted: all of them are there. */
export const packageProgress = (reads: Reads, teamId: string, id: string) =>
  reads.row<PackageProgressRow>(sql`
    select p.id, ${stateNow} as state, p.portal_id, p.teamspace_id,
           coalesce(f.size, p.size) as size, coalesce(f.total_files, p.total_files) as total_files,
           coalesce(f.files_done, p.total_files) as files_done, coalesce(f.bytes_done, p.size) as bytes_done,
           coalesce(f.sizes_known, true) as sizes_known
      from ${packagesOf(teamId)} p
      left join lateral (
        select coalesce(sum(size), 0)::bigint as size, count(*)::integer as total_files,
               (count(*) filter (where state = 'finalized'))::integer as files_done,
               coalesce(sum(size) filter (where state = 'finalized'), 0)::bigint as bytes_done,
               count(*) = count(size) as sizes_known
          from files where team_id = ${teamId} and package_id = ${id} and kind = 'file'
      ) f on p.state = 'new'
     where p.team_id = ${teamId} and p.id = ${id}
  `)
