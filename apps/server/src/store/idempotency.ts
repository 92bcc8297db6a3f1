import { sql, type Tx } from '#platform/db'

export interface RememberedCall {
  readonly request_hash: Buffer
  readonly reply_sealed: Buffer | null
}

/**
 * Takes an idempotency key for this transaction. Undefined when it is ours now; otherwise the call that had it first.
 *
 * A second caller with the same key waits here until the first one's transaction ends.
 */
export async function takeIdempotencyKey(
  tx: Tx,
  credential: string,
  key: string,
  requestHash: Buffer,
): Promise<RememberedCall | undefined> {
  const taken = await tx.run(sql`
    insert into idempotency_keys as k (credential, key, request_hash)
    values (${credential}, ${key}, ${requestHash})
    on conflict (credential, key) do update
       set request_hash = excluded.request_hash, reply_sealed = null, created_at = now()
     where k.created_at < now() - interval '24 hours'
  `)
  if (taken === 1) return undefined
  return tx.row<RememberedCall>(sql`
    select request_hash, reply_sealed from idempotency_keys where credential = ${credential} and key = ${key}
  `)
}

export const rememberReply = (tx: Tx, credential: string, key: string, replySealed: Buffer) =>
  tx.run(sql`
    update idempotency_keys set reply_sealed = ${replySealed} where credential = ${credential} and key = ${key}
  `)

export const forgetOldIdempotencyKeys = (tx: Tx) =>
  tx.run(sql`delete from idempotency_keys where created_at < now() - interval '24 hours'`)
