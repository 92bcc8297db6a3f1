import { begin } from '@longshore/kit/lifecycle'
import { parseKeyring } from '@longshore/kit/secrets'
import { applyBucketSettings } from '#blob/bucket-settings'
import { s3Blob } from '#blob/s3'
import { selfTest } from '#blob/self-test'
import type { StorageConfig } from '#blob/storage-config'
import { checkCounts } from '#domain/packages/check-counts'
import { openRedis } from '#live/redis'
import { openDb, sql } from '#platform/db'
import { lastReconciliation, type Reconciliation } from '#store/reconciliations'
import { type Config, loadConfig, storageConfig, storageOrigins } from './config.ts'

interface Check {
  readonly name: string
  run(): Promise<readonly string[]>
}

let troubles = 0

const fault = (line: string) => {
  troubles++
  return `✗ ${line}`
}

const openDatabase = (config: Config) =>
  openDb({
    url: config.LONGSHORE_DATABASE_URL,
    maxConnections: 1,
    // Counting ten million packages takes a minute or two.
    statementTimeoutMs: 3_600_000,
    applicationName: 'longshore-doctor',
    onIdleError: () => {},
  })

const checksOf = (config: Config, storage: StorageConfig): readonly Check[] => [
  {
    name: 'Secrets',
    async run() {
      const { kids } = parseKeyring(config.LONGSHORE_SECRETS)
      return [`✓ ${kids.length} master secret(s), newest '${kids[0]}'`]
    },
  },
  {
    name: 'Database',
    async run() {
      const db = openDatabase(config)
      try {
        const server = await db.row<{ version: number; skew: number; migrated: boolean }>(sql`
          select current_setting('server_version_num')::integer as version,
                 extract(epoch from now())::float8 * 1000 - ${Date.now()}::float8 as skew,
                 to_regclass('migrations') is not null as migrated
        `)
        if (server === undefined) return [fault('no answer')]
        return [
          server.version >= 150_000
            ? `✓ PostgreSQL ${server.version}`
            : fault(`PostgreSQL ${server.version}: 15 or newer is needed`),
          Math.abs(server.skew) < 5_000
            ? '✓ its clock agrees with ours'
            : fault(
                `its clock differs by ${Math.round(server.skew / 1000)} s: signed addresses and expiry need one time (NTP)`,
              ),
          server.migrated ? '✓ migrated' : fault('not migrated: npm run migrate'),
        ]
      } finally {
        await db.close()
      }
    },
  },
  {
    name: 'Totals of lists',
    async run() {
      const db = openDatabase(config)
      try {
        const { teams, wrong } = await checkCounts({ db })
        if (wrong.length === 0) return [`✓ those of ${teams} Team(s) are what their packages add up to`]
        return wrong.map(({ teamId, counts }) => {
          const [first] = counts
          const where = `${first?.shape}, ${first?.state}${first?.day == null ? '' : `, ${first.day}`}`
          return fault(
            `Team ${teamId}: ${counts.length} wrong, as ${where} by ${first?.missing}\n    → npm run operate -- recount ${teamId}`,
          )
        })
      } finally {
        await db.close()
      }
    },
  },
  {
    name: 'Store and books',
    async run() {
      const db = openDatabase(config)
      try {
        return reconciled(await lastReconciliation(db))
      } finally {
        await db.close()
      }
    },
  },
  {
    name: 'Redis',
    async run() {
      if (config.LONGSHORE_REDIS_URL === '') return ['– none: each API process counts for itself']
      const redis = openRedis(config.LONGSHORE_REDIS_URL, () => {})
      try {
        await new Promise((resolve, reject) => redis.once('ready', resolve).once('error', reject))
        return [`✓ ${await redis.ping()}`]
      } finally {
        redis.disconnect()
      }
    },
  },
  {
    name: 'Storage',
    async run() {
      await s3Blob(storage).check()
      const settings = await applyBucketSettings(storage, { origins: storageOrigins(config) })
      return [
        '✓ the bucket answers',
        ...Object.entries(settings).map(
          ([name, outcome]) => `${outcome === 'applied' ? '✓' : '–'} ${name}: ${outcome}`,
        ),
      ]
    },
  },
  {
    name: 'Storage, attacked through its public address',
    async run() {
      const findings = await selfTest(storage)
      return findings.map(({ verdict, trick, detail, remedy }) => {
        const line = `${verdict.padEnd(8)} ${trick}: ${detail}`
        return verdict === 'open' ? fault(`${line}\n    → ${remedy ?? 'see docs/operate/storage.md'}`) : `✓ ${line}`
      })
    },
  },
]

// The worker reconciles every night; two nights without say that no worker runs, or that it cannot.
const tooOldMs = 3 * 24 * 3_600_000

function reconciled(last: Reconciliation | undefined): readonly string[] {
  if (last?.finished_at == null) return ['– not reconciled yet: the worker does so every night']
  const { finished_at, objects, files, orphans, orphan_uploads, removed, missing } = last
  const when = finished_at.toISOString()
  return [
    Date.now() - finished_at.getTime() < tooOldMs
      ? `✓ reconciled at ${when}: ${objects} objects, ${files} files`
      : fault(`last reconciled at ${when}: is a worker running?`),
    `${orphans + orphan_uploads === removed ? '✓' : '–'} without an owner: ${orphans} objects, ${orphan_uploads} uploads; ${removed} removed`,
    missing === 0
      ? '✓ no file without its bytes'
      : fault(`${missing} file(s) without their bytes: see the log, and docs/operate/reconcile.md`),
  ]
}

begin(async () => {
  const config = loadConfig()
  for (const { name, run } of checksOf(config, storageConfig(config))) {
    console.log(`\n${name}`)
    try {
      for (const line of await run()) console.log(`  ${line}`)
    } catch (error) {
      console.log(`  ${fault(error instanceof Error ? error.message : String(error))}`)
    }
  }
  console.log(troubles === 0 ? '\nAll well.' : `\n${troubles} thing(s) to mend.`)
  process.exitCode = troubles === 0 ? 0 : 1
})
