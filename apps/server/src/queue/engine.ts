import { type Job, type JobResult, PgBoss } from 'pg-boss'
import type { Log } from '@longshore/kit/log'
import type { Tx } from '#platform/db'
import { type Order, orders, type PayloadOf } from '#queue/orders'

/** Takes orders in the transaction of the change that wants them: they come to be with it, or not at all. */
export interface Queue {
  enqueue<O extends Order>(
    tx: Tx,
    order: O,
    payloads: readonly PayloadOf<O>[],
    options?: { afterSeconds?: number },
  ): Promise<void>
}

export interface Work {
  readonly order: Order
  /** How many are fetched and done at once; two such batches may be under way. 1 for work that one does alone. */
  readonly concurrency: number
  run(payload: unknown, signal: AbortSignal): Promise<void>
  /** Does several at once, where that is cheaper. If it fails, they are done one by one. */
  runMany?(payloads: readonly unknown[], signal: AbortSignal): Promise<void>
}

export interface Appointment {
  readonly order: Order
  readonly cron: string
}

export interface QueueEngine extends Queue {
  /** Begins to work. The work of a process that dies is taken up by another within a minute. */
  work(works: readonly Work[], appointments: readonly Appointment[]): Promise<void>
  stop(): Promise<void>
}

// A worker says every 5 s that it is alive; 15 s of silence and the next look of the supervisor, every 10 s, hand its
// job to another. Together with the first pause of a retry this stays well below the minute that we promise.
const heartbeatSeconds = 15
const superviseSeconds = 10

// Silence ends a job, not slowness: a purge of a million files may take its hours.
const longestJobSeconds = 23 * 3600

const schema = 'queue'

/** Makes the queue's tables and declares every order. Part of migrating. */
export async function prepareQueue(databaseUrl: string): Promise<void> {
  const boss = new PgBoss({ connectionString: databaseUrl, schema, supervise: false, schedule: false, max: 2 })
  await boss.start()
  try {
    for (const order of orders) {
      const settings = {
        retryLimit: order.retries,
        retryDelay: order.firstPause,
        retryBackoff: true,
        retryDelayMax: order.longestPause,
        heartbeatSeconds,
        expireInSeconds: longestJobSeconds,
        deleteAfterSeconds: 24 * 3600,
      }
      if ((await boss.getQueue(order.name)) === null) {
        await boss.createQueue(order.name, { policy: order.retries === 0 ? 'stately' : 'standard', ...settings })
      } else {
        await boss.updateQueue(order.name, settings)
      }
    }
  } finally {
    await boss.stop({ graceful: false })
  }
}

/** Opens the queue that `prepareQueue` made. */
export async function openQueue(
  databaseUrl: string,
  log: Log,
  role: 'orders-only' | 'orders-and-work',
): Promise<QueueEngine> {
  const works = role === 'orders-and-work'
  const boss = new PgBoss({
    connectionString: databaseUrl,
    schema,
    application_name: 'longshore-queue',
    max: works ? 10 : 2,
    migrate: false,
    createSchema: false,
    supervise: works,
    superviseIntervalSeconds: superviseSeconds,
    monitorIntervalSeconds: superviseSeconds,
    schedule: works,
    cronMonitorIntervalSeconds: 15,
    cronWorkerIntervalSeconds: 5,
  })
  boss.on('error', (err) => log.error({ err }, 'queue in trouble'))
  boss.on('warning', (warning) => log.warn({ warning }, 'queue warns'))
  await boss.start()

  /** One job and how it went. A job that fails is tried again by itself, whatever became of those fetched with it. */
  async function doJob({ order, run }: Work, job: Job): Promise<JobResult> {
    const startedAt = performance.now()
    const facts = () => ({
      order: order.name,
      job: job.id,
      ms: Math.round(performance.now() - startedAt),
    })
    try {
      await run(job.data, job.signal)
      log.info(facts(), 'job done')
      return { id: job.id, status: 'completed' }
    } catch (err) {
      log.error({ ...facts(), err }, 'job failed')
      return { id: job.id, status: 'failed', output: { message: (err as Error).message } }
    }
  }

  /** Several jobs as one piece of work. One that cannot be done must not hold up those fetched with it. */
  async function doJobs(work: Work, jobs: readonly Job[]): Promise<JobResult[]> {
    const each = () => Promise.all(jobs.map((job) => doJob(work, job)))
    if (work.runMany === undefined || jobs.length === 1) return each()
    const startedAt = performance.now()
    try {
      await work.runMany(
        jobs.map((job) => job.data),
        AbortSignal.any(jobs.map((job) => job.signal)),
      )
    } catch (err) {
      log.warn({ order: work.order.name, jobs: jobs.length, err }, 'jobs failed together, one by one now')
      return each()
    }
    log.info({ order: work.order.name, jobs: jobs.length, ms: Math.round(performance.now() - startedAt) }, 'jobs done')
    return jobs.map(({ id }) => ({ id, status: 'completed' }))
  }

  return {
    async enqueue(tx, order, payloads, options = {}) {
      if (payloads.length === 0) return
      const db = { executeSql: (text: string, values?: unknown[]) => tx.foreign(text, values) }
      await boss.insert(
        order.name,
        payloads.map((data) => ({
          data: data as object,
          ...(options.afterSeconds === undefined ? {} : { startAfter: options.afterSeconds }),
        })),
        { db },
      )
    },

    async work(works, appointments) {
      for (const work of works) {
        await boss.work(
          work.order.name,
          {
            // While batches come back full there is more: the next is fetched at once instead of at the next poll.
            batchSize: work.concurrency,
            burstWhenBatchFull: true,
            // A batch waits for its slowest job; a second lane goes on meanwhile.
            localConcurrency: work.concurrency === 1 ? 1 : 2,
            pollingIntervalSeconds: 0.5,
            heartbeatRefreshSeconds: 5,
            perJobResults: true,
          },
          (jobs: Job[]) => doJobs(work, jobs),
        )
      }
      for (const { order, cron } of appointments) await boss.schedule(order.name, cron)
    },

    stop: () => boss.stop({ graceful: true, timeout: 25_000 }),
  }
}
