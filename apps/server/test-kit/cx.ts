import { randomBytes } from 'node:crypto'
import type { TestContext } from 'node:test'
import { createLog } from '@longshore/kit/log'
import { createBox, parseKeyring } from '@longshore/kit/secrets'
import { s3Blueprints } from '#blob/blueprints'
import { copier } from '#blob/copier'
import { foreignStores } from '#blob/foreign-store'
import { ownStore } from '#blob/own-store'
import { s3Blob } from '#blob/s3'
import { createArchives } from '#domain/archives/archives'
import type { Cx, Settings } from '#domain/cx'
import { createSigner } from '#domain/tokens/signer'
import { passOn } from '#domain/realtime/announce'
import { createProgress } from '#domain/realtime/progress'
import { createTokens } from '#domain/tokens/tokens'
import { packagePrefix } from '#domain/uploads/object-key'
import { createLimiter } from '#live/limiter'
import { createMarks } from '#live/marks'
import { memoryFeed } from '#live/memory-feed'
import { createSeats } from '#live/seats'
import { createSwitchboard } from '#live/switchboard'
import { createSubscriptions } from '#live/subscriptions'
import { createWake } from '#live/wake'
import { guardedAgent } from '#outbound/guarded-agent'
import { guardedHooks } from '#outbound/hooks'
import { smtpMailer } from '#outbound/mail'
import { openDb, sql } from '#platform/db'
import { openQueue } from '#queue/engine'
import { makeTestDatabase } from './database.ts'
import { stackStorage } from './stack-storage.ts'
import { testStack } from './stack.ts'

export interface TestCx extends Cx {
  readonly databaseUrl: string
}

const uploadUrlSeconds = 60

const settings: Settings = {
  publicUrl: 'http://longshore.test',
  downloadUrl: 'http://longshore.test/d',
  portalUrl: 'http://{subdomain}.longshore.test',
  storageLocation: 'longshore',
  uploadUrlSeconds,
  downloadUrlSeconds: 30,
  abandonedAfterDays: 7,
  inspectionsAtOnce: 4,
  transfersAtOnce: 2,
  transferPartBytes: 5 * 1024 * 1024,
  freezeAfterSeconds: 0,
  webhookPauses: [30, 120, 600, 3600],
  streamHeartbeatSeconds: 1,
}

export const newKeyring = () => parseKeyring(`k1:${randomBytes(32).toString('base64url')}`)

const log = createLog('test', 'silent')

export const mailSender = { name: 'Longshore', address: 'longshore@example.test' }

/**
 * The world that a domain function is lent, on the real engines: a database of its own, the stack's store, a queue that
 * takes orders and does none of them. Gone with the test.
 */
export async function testCx(t: TestContext): Promise<TestCx> {
  const database = await makeTestDatabase()
  const closing: (() => unknown)[] = [() => database.drop()]
  t.after(async () => {
    for (const close of closing.toReversed()) await close()
  })
  const subscriptions = createSubscriptions(undefined)
  const wake = createWake(undefined, subscriptions)
  const feed = memoryFeed()
  const db = openDb({
    url: database.url,
    maxConnections: 20,
    statementTimeoutMs: 20_000,
    applicationName: 'longshore-test',
    onIdleError: () => {},
    onCommitted: (topic, payload) => passOn({ wake, feed, progress }, topic, payload),
  })
  closing.push(() => db.close())
  const progress = createProgress({ db, feed, log, marks: createMarks(undefined) })
  closing.push(() => progress.close())
  const storage = stackStorage()
  const queue = await openQueue(database.url, log, 'orders-only')
  closing.push(() => queue.stop())
  const mailer = smtpMailer(testStack().smtp_url, mailSender)
  closing.push(() => mailer.close())
  const hooks = guardedHooks({ allowedRanges: ['127.0.0.0/8'] })
  closing.push(() => hooks.close())
  const storesAgent = guardedAgent({ allowedRanges: ['127.0.0.0/8'] })
  closing.push(() => storesAgent.destroy())
  const keyring = newKeyring()
  const cx: TestCx = {
    databaseUrl: database.url,
    db,
    queue,
    log,
    mailer,
    hooks,
    wake,
    switchboard: createSwitchboard(undefined, subscriptions),
    scanner: undefined,
    feed,
    progress,
    seats: createSeats({ perProcess: 100, perCredential: 3 }),
    blob: s3Blob(storage),
    copier: copier(storage),
    ownStore: ownStore(storage),
    foreignStore: foreignStores(storesAgent),
    blueprints: s3Blueprints(storage, { expiresInSeconds: uploadUrlSeconds, putOnce: true }),
    archives: createArchives({ atOnce: 8 }),
    box: createBox(keyring),
    tokens: createTokens(keyring),
    signer: createSigner(keyring),
    limiter: createLimiter(undefined, { callsPerMinute: 0, guessesPerMinute: 10 }),
    settings: { ...settings, storageLocation: storage.bucket },
  }
  closing.push(() => emptyStorage(cx))
  return cx
}

/** Takes away what the test's packages left in the store: keys begin with Team and package, so nobody else's go. */
async function emptyStorage(cx: Cx): Promise<void> {
  const packages = await cx.db.rows<{ team_id: string; package_id: string }>(
    sql`select team_id, package_id from files where object_key is not null
        union select team_id, package_id from frozen_files`,
  )
  for (const { team_id, package_id } of packages) {
    const prefix = packagePrefix(team_id, package_id)
    for await (const upload of cx.blob.openUploads(prefix)) await cx.blob.abort(upload.key, upload.uploadId)
    const keys: string[] = []
    for await (const { key } of cx.blob.list(prefix)) keys.push(key)
    if (keys.length > 0) await cx.blob.remove(keys)
  }
}
