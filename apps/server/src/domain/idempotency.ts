import type { Repeatable } from '@longshore/kit/door/idempotency-key'
import { hashSecret } from '@longshore/kit/secrets'
import type { Cx } from '#domain/cx'
import { Refusal } from '#domain/refusal'
import type { Tx } from '#platform/db'
import { rememberReply, takeIdempotencyKey } from '#store/idempotency'

/** A create call that its caller may send twice. */
export interface Once extends Repeatable {
  readonly credential: string
}

/**
 * Runs a create in one transaction. With an idempotency key the reply is remembered in that same transaction, so a
 * repeat after a lost answer gets the first reply again and nothing is made twice, whatever was killed in between.
 */
export async function createOnce<Reply>(
  cx: Pick<Cx, 'db' | 'box'>,
  once: Once | undefined,
  work: (tx: Tx) => Promise<Reply>,
): Promise<Reply> {
  if (once === undefined) return cx.db.transaction(work)
  const requestHash = hashSecret(once.request)
  const context = `idempotency/${once.credential}/${once.key}`
  return cx.db.transaction(async (tx) => {
    const first = await takeIdempotencyKey(tx, once.credential, once.key, requestHash)
    if (first !== undefined) {
      if (!first.request_hash.equals(requestHash) || first.reply_sealed === null)
        throw new Refusal('idempotency_conflict')
      return JSON.parse(cx.box.open(context, first.reply_sealed)) as Reply
    }
    const reply = await work(tx)
    await rememberReply(tx, once.credential, once.key, cx.box.seal(context, JSON.stringify(reply)))
    return reply
  })
}
