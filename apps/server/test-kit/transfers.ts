import { createConnection } from '#domain/connections/connections'
import { carryTransfer, takeTransfer } from '#domain/transfers/carry-transfer'
import { sql } from '#platform/db'
import type { CustomerBucket } from './customer-bucket.ts'
import type { TestCx } from './cx.ts'
import type { MadeTeam } from './make.ts'

const never = new AbortController().signal

/** A connection of a Team to somebody else's bucket; for what is sent, unless told otherwise. */
export const connect = (cx: TestCx, team: MadeTeam, bucket: CustomerBucket, more = {}) =>
  createConnection(cx, team.owner.caller, team.id, {
    name: 'Vault',
    provider: 's3',
    direction: 'export',
    authorization: bucket.authorization,
    ...more,
  })

/** Does what a worker would, until nothing is due. */
export async function carryAll(cx: TestCx, signal = never): Promise<number> {
  let carried = 0
  for (let taken = await takeTransfer(cx); taken !== undefined; taken = await takeTransfer(cx)) {
    carried++
    await carryTransfer(cx, taken, signal)
  }
  return carried
}

/** Lets the time pass that a worker would wait, and so much more. */
export const makeDue = (cx: TestCx, secondsAgo = 0) =>
  cx.db.transaction((tx) =>
    tx.run(sql`update transfers set due = now() - make_interval(secs => ${secondsAgo}) where due is not null`),
  )
