import { sql, type Tx } from '#platform/db'
import { type EndedBetween, type PackageState, packagesOf } from '#store/packages'

/** Into the archive, or out of it. */
export type Move = 'archive' | 'unarchive'

const states: Readonly<Record<Move, { readonly from: PackageState; readonly to: PackageState }>> = {
  archive: { from: 'expired', to: 'archived' },
  unarchive: { from: 'archived', to: 'expired' },
}

/** Moves one ended package. False when it is not where it should come from. */
export const movePackage = async (tx: Tx, teamId: string, id: string, move: Move): Promise<boolean> =>
  (await tx.run(sql`
    update ${packagesOf(teamId)} set state = ${states[move].to}, updated_at = now()
     where team_id = ${teamId} and id = ${id} and state = ${states[move].from}
  `)) === 1

/** A place in the order in which ended packages are walked. */
export interface Place {
  readonly expiry: Date
  readonly id: string
}

export interface Stretch extends EndedBetween {
  readonly after: Place | undefined
  readonly upTo?: Place | undefined
}

/**
 * Moves ended packages in the order of their expiry, at most so many, and answers how many and the place of the last;
 * undefined when there was none. Those that somebody else holds are passed over, unless `waiting`.
 */
export const moveBatch = (
  tx: Tx,
  teamId: string,
  move: Move,
  { from, to, received, after, upTo }: Stretch,
  { limit, waiting }: { limit: number; waiting: boolean },
) =>
  tx.row<Place & { readonly moved: number }>(sql`
    with taken as (
      select id from ${packagesOf(teamId)}
       where team_id = ${teamId} and received = ${received} and state = ${states[move].from}
         and expiry between ${from} and ${to}
         ${after === undefined ? sql`` : sql`and (expiry, id) > (${after.expiry}, ${after.id})`}
         ${upTo === undefined ? sql`` : sql`and (expiry, id) <= (${upTo.expiry}, ${upTo.id})`}
       order by expiry, id
       limit ${limit}
         for no key update ${waiting ? sql`` : sql`skip locked`}
    ), moved as (
      update ${packagesOf(teamId)} p set state = ${states[move].to}, updated_at = now()
        from taken
       where p.team_id = ${teamId} and p.id = taken.id
      returning p.expiry, p.id
    )
    select expiry, id, count(*) over ()::integer as moved from moved order by expiry desc, id desc limit 1
  `)
