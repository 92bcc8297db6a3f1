import { type Reads, sql, type Tx } from '#platform/db'

export interface UsageDayRow {
  readonly day: string
  readonly sent_packages: number
  readonly sent_bytes: number
  readonly received_packages: number
  readonly received_bytes: number
  readonly downloads: number
}

const figures = sql`sent_packages, sent_bytes, received_packages, received_bytes, downloads`

const summed = sql`
  sum(sent_packages)::bigint as sent_packages, sum(sent_bytes)::bigint as sent_bytes,
  sum(received_packages)::bigint as received_packages, sum(received_bytes)::bigint as received_bytes,
  sum(downloads)::bigint as downloads`

/** Notes a package that was finalized today. */
export const markFinalized = (tx: Tx, pkg: { team_id: string; portal_id: string | null; size: number }) =>
  pkg.portal_id === null
    ? tx.run(sql`insert into usage_marks (team_id, sent_packages, sent_bytes) values (${pkg.team_id}, 1, ${pkg.size})`)
    : tx.run(
        sql`insert into usage_marks (team_id, received_packages, received_bytes) values (${pkg.team_id}, 1, ${pkg.size})`,
      )

/** Notes a download that counted. */
export const markDownload = (tx: Tx, teamId: string) =>
  tx.run(sql`insert into usage_marks (team_id, downloads) values (${teamId}, 1)`)

/** Moves marks into the figures of their days, in one statement, so that a reader sees each exactly once. */
export const addUpUsage = async (tx: Tx, limit: number): Promise<number> =>
  (
    await tx.row<{ taken: number }>(sql`
      with taken as (
        delete from usage_marks m using (select id from usage_marks order by id limit ${limit}) oldest
         where m.id = oldest.id
        returning m.*
      ), added as (
        insert into usage_days as u (team_id, day, ${figures})
        select team_id, day, ${summed} from taken group by 1, 2
        on conflict (team_id, day) do update
           set sent_packages = u.sent_packages + excluded.sent_packages,
               sent_bytes = u.sent_bytes + excluded.sent_bytes,
               received_packages = u.received_packages + excluded.received_packages,
               received_bytes = u.received_bytes + excluded.received_bytes,
               downloads = u.downloads + excluded.downloads
      )
      select count(*)::integer as taken from taken
    `)
  )?.taken ?? 0

/** The last days up to today, oldest first, none left out. */
export const usageOf = (reads: Reads, teamId: string, days: number) =>
  reads.rows<UsageDayRow>(sql`
    select to_char(d.day, 'YYYY-MM-DD') as day,
           coalesce(u.sent_packages, 0)::bigint as sent_packages, coalesce(u.sent_bytes, 0)::bigint as sent_bytes,
           coalesce(u.received_packages, 0)::bigint as received_packages,
           coalesce(u.received_bytes, 0)::bigint as received_bytes, coalesce(u.downloads, 0)::bigint as downloads
      from (select (now() at time zone 'UTC')::date - n as day from generate_series(0, ${days}::integer - 1) n) d
      left join (
        select day, ${summed}
          from (
            select day, ${figures} from usage_days where team_id = ${teamId}
            union all
            select day, ${figures} from usage_marks where team_id = ${teamId}
          ) noted
         where day > (now() at time zone 'UTC')::date - ${days}::integer
         group by day
      ) u on u.day = d.day
     order by d.day
  `)
