import { type Reads, sql } from '#platform/db'

/** The time as columns keep it, so that nothing that was written before seems to come after it. */
export async function databaseTime(reads: Reads): Promise<Date> {
  const row = await reads.row<{ now: Date }>(sql`select now()::timestamptz(3) as now`)
  if (row === undefined) throw new Error('The database tells no time.')
  return row.now
}
