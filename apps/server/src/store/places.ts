import { type Reads, type Sql, sql, type Tx } from '#platform/db'

/**
 * For the rest of the transaction: what is wanted in the order of an index is read by that index, and never sorted.
 *
 * A database that knows little of a package that is being filled takes it for a small one, and reads all of it for each
 * place that it is asked about. `filesAt` and `foldersInUse` ask in order and with a limit, so that this helps.
 */
export const readByIndex = (tx: Tx) => tx.rows(sql`select set_config('enable_sort', 'off', true)`)

/** Entries of a package that stand at one of these places, as `f`. After `readByIndex`. */
export const filesAt = (
  teamId: string,
  packageId: string,
  places: readonly { readonly path: string; readonly name: string }[],
): Sql => sql`
  unnest(${places.map((place) => place.path)}::text[], ${places.map((place) => place.name)}::text[]) as at (path, name)
  join lateral (
    select * from files
     where team_id = ${teamId} and package_id = ${packageId}
       and path = at.path collate "C" and name >= at.name collate "C"
     order by path, name limit 1) f on f.name = at.name collate "C"`

export const entriesAt = (
  reads: Reads,
  teamId: string,
  packageId: string,
  places: readonly { path: string; name: string }[],
) =>
  reads.rows<{ path: string; name: string; kind: 'file' | 'directory' }>(sql`
    select f.path, f.name, f.kind from ${filesAt(teamId, packageId, places)}
  `)

/** Those of the given full paths that have entries below them. After `readByIndex`. */
export const foldersInUse = (reads: Reads, teamId: string, packageId: string, folders: readonly string[]) =>
  reads.rows<{ folder: string }>(sql`
    select folder
      from unnest(${folders}::text[]) as folder
     where (
       select true from files
        where team_id = ${teamId} and package_id = ${packageId} and path = folder collate "C"
        order by path, name limit 1)
        or (
       select true from files
        where team_id = ${teamId} and package_id = ${packageId}
          and path > (folder || '/') collate "C" and path < (folder || '0') collate "C"
        order by path, name limit 1)
  `)

/**
 * Names of files and folders in the root of a package that begin like this, in lower case: two that differ in case alone
 * clash on many disks.
 */
export const namesInRoot = async (
  reads: Reads,
  teamId: string,
  packageId: string,
  beginning: string,
): Promise<readonly string[]> =>
  (
    await reads.rows<{ name: string }>(sql`
      select distinct lower(case when path = '' then name else split_part(path, '/', 1) end) as name
        from files
       where team_id = ${teamId} and package_id = ${packageId}
         and (path = '' and starts_with(lower(name), ${beginning}) or starts_with(lower(path), ${beginning}))
    `)
  ).map((row) => row.name)
