import type { Cx } from '#domain/cx'
import { sql } from '#platform/db'

/** Whether the parts behind us answer. Says which, and nothing about why: that is in the log. */
export async function readiness(cx: Pick<Cx, 'db' | 'blob' | 'log'>) {
  const checks = { database: () => cx.db.row(sql`select 1`), storage: () => cx.blob.check() }
  const answers = await Promise.all(
    Object.entries(checks).map(async ([part, check]) => {
      try {
        await check()
        return [part, 'ok'] as const
      } catch (err) {
        cx.log.warn({ err, part }, 'not ready')
        return [part, 'away'] as const
      }
    }),
  )
  return { ready: answers.every(([, state]) => state === 'ok'), ...Object.fromEntries(answers) }
}
