import { setTimeout as sleep } from 'node:timers/promises'
import { sql, type Tx } from '#platform/db'
import type { TestCx } from './cx.ts'

const patienceMs = 5_000

/** Resolves once so many connections of this database wait for a lock that another holds. */
export async function untilWaiting(cx: TestCx, waiters = 1): Promise<void> {
  const deadline = Date.now() + patienceMs
  while (true) {
    const row = await cx.db.row<{ waiting: number }>(sql`
      select count(*)::integer as waiting from pg_stat_activity
       where datname = current_database() and wait_event_type = 'Lock'
    `)
    if ((row?.waiting ?? 0) >= waiters) return
    if (Date.now() > deadline) throw new Error(`Only ${row?.waiting} of ${waiters} came to wait for a lock.`)
    await sleep(5)
  }
}

/**
 * Two calls that really meet. The first does all its work and is held just before it commits; the second is started
 * then and must run into a lock; only when the database says that it waits is the first let go.
 *
 * `holding` says which transaction of the first call is held, for calls that have more than one. `failing` lets that
 * transaction end without a commit, as a lost connection would.
 */
export async function race<First, Second>(
  cx: TestCx,
  first: (cx: TestCx) => Promise<First>,
  second: (cx: TestCx) => Promise<Second>,
  { holding = 1, failing = false } = {},
): Promise<{ readonly first: Promise<First>; readonly second: Promise<Second> }> {
  const reached = Promise.withResolvers<void>()
  const gate = Promise.withResolvers<void>()
  let transactions = 0
  const transaction = async <Result>(work: (tx: Tx) => Promise<Result>): Promise<Result> => {
    if (++transactions !== holding) return cx.db.transaction(work)
    return cx.db.transaction(async (tx) => {
      const result = await work(tx)
      reached.resolve()
      await gate.promise
      if (failing) throw new Error('The first call was made to fail.')
      return result
    })
  }
  const ahead = first({ ...cx, db: { ...cx.db, transaction } })
  ahead.catch(reached.reject)
  ahead.then(() => reached.reject(new Error(`The first call ended without ${holding} transaction(s).`)), reached.reject)
  try {
    await reached.promise
    const behind = second(cx)
    // Judged by the test; until then a rejection is nobody's fault.
    behind.catch(() => {})
    await untilWaiting(cx)
    return { first: ahead, second: behind }
  } finally {
    gate.resolve()
  }
}
