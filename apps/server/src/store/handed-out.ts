import { sql, type Tx } from '#platform/db'

/**
 * Notes the bytes of a file whose address is handed out. Whoever asks need not wait for the disk: what a crash of the
 * database may lose are the last moments of a figure, nothing else.
 */
export const noteHandedOut = (tx: Tx, teamId: string, packageId: string, bytes: number) =>
  tx.run(sql`
    insert into handed_out (team_id, package_id, bytes)
    select ${teamId}::uuid, ${packageId}::uuid, ${bytes}::bigint
     where set_config('synchronous_commit', 'off', true) = 'off'
  `)

/** Adds what was handed out to the rows of the packages. Answers how many notes that were. */
export const addUpHandedOut = async (tx: Tx, limit: number): Promise<number> =>
  (
    await tx.row<{ taken: number }>(sql`
      with taken as (
        delete from handed_out h using (select id from handed_out order by id limit ${limit}) oldest
         where h.id = oldest.id
        returning h.*
      ), added as (
        update packages p set downloaded_bytes = p.downloaded_bytes + t.bytes
          from (select team_id, package_id, sum(bytes) as bytes from taken group by 1, 2) t
         where p.team_id = t.team_id and p.id = t.package_id
      )
      select count(*)::integer as taken from taken
    `)
  )?.taken ?? 0
