import { type Reads, sql, type Tx } from '#platform/db'

/** Only one setup link is good at a time: a new one ends those before it. */
export async function replaceSetupLink(tx: Tx, tokenHash: Buffer, lifetimeHours: number): Promise<void> {
  await tx.run(sql`delete from setup_links`)
  await tx.run(sql`
    insert into setup_links (token_hash, expires_at)
    values (${tokenHash}, now() + make_interval(hours => ${lifetimeHours}))
  `)
}

export const setupLinkIsGood = async (reads: Reads, tokenHash: Buffer): Promise<boolean> =>
  (await reads.row(sql`select 1 from setup_links where token_hash = ${tokenHash} and expires_at > now()`)) !== undefined

/** Uses a setup link up. Returns false when it is unknown, used or too old. */
export const takeSetupLink = async (tx: Tx, tokenHash: Buffer): Promise<boolean> =>
  (await tx.run(sql`delete from setup_links where token_hash = ${tokenHash} and expires_at > now()`)) === 1
