import { sql, type Tx } from '#platform/db'

/** Takes the Team's turn to read a list without pages, or keeps it for longer. Returns false when another has it. */
export const takeTurn = async (tx: Tx, teamId: string, reader: string, seconds: number): Promise<boolean> =>
  (await tx.run(sql`
    insert into whole_list_readers as w (team_id, reader, until)
    values (${teamId}, ${reader}, now() + make_interval(secs => ${seconds}))
    on conflict (team_id) do update set reader = excluded.reader, until = excluded.until
     where w.reader = excluded.reader or w.until < now()
  `)) === 1

export const endTurn = (tx: Tx, teamId: string, reader: string) =>
  tx.run(sql`delete from whole_list_readers where team_id = ${teamId} and reader = ${reader}`)
