import type { Log } from '@longshore/kit/log'
import { createBox, parseKeyring } from '@longshore/kit/secrets'
import { s3Blueprints } from '#blob/blueprints'
import { copier } from '#blob/copier'
import { foreignStores } from '#blob/foreign-store'
import { ownStore } from '#blob/own-store'
import { s3Blob } from '#blob/s3'
import { createArchives } from '#domain/archives/archives'
import type { Cx } from '#domain/cx'
import { createSigner } from '#domain/tokens/signer'
import { passOn } from '#domain/realtime/announce'
import { createProgress } from '#domain/realtime/progress'
import { createTokens } from '#domain/tokens/tokens'
import { createLimiter } from '#live/limiter'
import { createMarks } from '#live/marks'
import { memoryFeed } from '#live/memory-feed'
import { redisFeed } from '#live/redis-feed'
import { openRedis } from '#live/redis'
import { createSeats } from '#live/seats'
import { createSwitchboard } from '#live/switchboard'
import { createSubscriptions } from '#live/subscriptions'
import { createWake } from '#live/wake'
import { guardedAgent } from '#outbound/guarded-agent'
import { guardedHooks } from '#outbound/hooks'
import { parseSender, smtpMailer } from '#outbound/mail'
import { clamd } from '#outbound/scanner'
import { openDb } from '#platform/db'
import { openQueue, type QueueEngine } from '#queue/engine'
import { type Config, hostAndPort, listOf, portalUrl, storageConfig } from './config.ts'

export interface World {
  readonly cx: Cx
  readonly queue: QueueEngine
  close(): Promise<void>
}

// A call of the API that keeps the database busy for longer has gone wrong; the worker's batches may take their time.
const apiStatementMs = 5_000
const workerStatementMs = 120_000

// A person with many windows has enough; a program that opens one after the other is stopped.
const streamsPerCredential = 20

/** Puts the parts together that a process of the server stands on. */
export async function openWorld(config: Config, log: Log, role: 'api' | 'worker'): Promise<World> {
  const keyring = parseKeyring(config.LONGSHORE_SECRETS)
  const storage = storageConfig(config)
  const redis =
    config.LONGSHORE_REDIS_URL === ''
      ? undefined
      : openRedis(config.LONGSHORE_REDIS_URL, (err) => log.warn({ err }, 'redis in trouble'))
  const subscriptions = createSubscriptions(redis)
  const wake = createWake(redis, subscriptions)
  const feed = redis === undefined ? memoryFeed() : redisFeed(redis, subscriptions)
  const allowedRanges = listOf(config.LONGSHORE_ALLOWED_PRIVATE_RANGES)
  const hooks = guardedHooks({ allowedRanges })
  const storesAgent = guardedAgent({ allowedRanges })
  const db = openDb({
    url: config.LONGSHORE_DATABASE_URL,
    maxConnections: config.LONGSHORE_DATABASE_CONNECTIONS,
    statementTimeoutMs: role === 'api' ? apiStatementMs : workerStatementMs,
    applicationName: `longshore-${role}`,
    onIdleError: (err) => log.warn({ err }, 'database connection lost'),
    onCommitted: (topic, payload) => passOn(cx, topic, payload),
  })
  const progress = createProgress({ db, feed, log, marks: createMarks(redis) })
  const queue = await openQueue(
    config.LONGSHORE_DATABASE_URL,
    log,
    role === 'worker' ? 'orders-and-work' : 'orders-only',
  )
  const mailer = smtpMailer(config.LONGSHORE_SMTP_URL, parseSender(config.LONGSHORE_MAIL_FROM))
  const cx: Cx = {
    db,
    queue,
    log,
    mailer,
    hooks,
    wake,
    switchboard: createSwitchboard(redis, subscriptions),
    scanner: config.LONGSHORE_CLAMD === '' ? undefined : clamd(hostAndPort(config.LONGSHORE_CLAMD)),
    feed,
    progress,
    seats: createSeats({ perProcess: config.LONGSHORE_STREAMS_PER_PROCESS, perCredential: streamsPerCredential }),
    blob: s3Blob(storage),
    copier: copier(storage),
    ownStore: ownStore(storage),
    foreignStore: foreignStores(storesAgent),
    blueprints: s3Blueprints(storage, {
      expiresInSeconds: config.LONGSHORE_UPLOAD_URL_SECONDS,
      putOnce: config.LONGSHORE_S3_PUT_ONCE,
    }),
    archives: createArchives({ atOnce: config.LONGSHORE_ARCHIVES_AT_ONCE }),
    box: createBox(keyring),
    tokens: createTokens(keyring),
    signer: createSigner(keyring),
    limiter: createLimiter(redis, {
      callsPerMinute: config.LONGSHORE_CALLS_PER_MINUTE,
      guessesPerMinute: config.LONGSHORE_GUESSES_PER_MINUTE,
    }),
    settings: {
      publicUrl: config.LONGSHORE_PUBLIC_URL,
      downloadUrl: config.LONGSHORE_DOWNLOAD_URL,
      portalUrl: portalUrl(config),
      storageLocation: config.LONGSHORE_S3_BUCKET,
      uploadUrlSeconds: config.LONGSHORE_UPLOAD_URL_SECONDS,
      downloadUrlSeconds: config.LONGSHORE_DOWNLOAD_URL_SECONDS,
      abandonedAfterDays: config.LONGSHORE_ABANDONED_AFTER_DAYS,
      inspectionsAtOnce: config.LONGSHORE_INSPECTIONS_AT_ONCE,
      transfersAtOnce: config.LONGSHORE_TRANSFERS_AT_ONCE,
      transferPartBytes: config.LONGSHORE_TRANSFER_PART_MIB * 1024 * 1024,
      freezeAfterSeconds: config.LONGSHORE_FREEZE_AFTER_SECONDS,
      webhookPauses: listOf(config.LONGSHORE_WEBHOOK_PAUSES_SECONDS).map(Number),
      streamHeartbeatSeconds: config.LONGSHORE_STREAM_HEARTBEAT_SECONDS,
    },
  }
  return {
    cx,
    queue,
    async close() {
      await queue.stop()
      mailer.close()
      await hooks.close()
      await storesAgent.destroy()
      progress.close()
      subscriptions.close()
      redis?.disconnect()
      await db.close()
    },
  }
}
