import { parseArgs } from 'node:util'
import { isId } from '@longshore/kit/ids'
import { begin } from '@longshore/kit/lifecycle'
import { createLog } from '@longshore/kit/log'
import { s3Blob } from '#blob/s3'
import { makeSetupLink } from '#domain/accounts/set-up'
import { recount } from '#domain/packages/check-counts'
import { nightly, reconcile } from '#domain/reconcile/reconcile'
import { type Db, openDb } from '#platform/db'
import { setSuspended } from '#store/api-keys'
import { type Config, loadConfig, storageConfig } from './config.ts'

const help = `What only an operator may do. The configuration is the server's.

  npm run operate -- setup-link            a new one-time link, while there is no Team
  npm run operate -- suspend-key ID        stop an API key; its owner cannot start it again
  npm run operate -- unsuspend-key ID      make a suspended API key active again
  npm run operate -- recount [TEAM]        count packages anew, of one Team or all; nobody has to wait meanwhile
  npm run operate -- reconcile [--repair] [--older-than HOURS]
                                           hold the store against the database and tell what is too many or missing;
                                           with --repair remove what nobody owns (the worker does so every night)
`

// With less, a repair could take what is stored and not yet written down.
const leastRepairHours = 24

begin(async () => {
  const { positionals, values } = parseArgs({
    allowPositionals: true,
    strict: false,
    options: { repair: { type: 'boolean' }, 'older-than': { type: 'string' } },
  })
  const [command, id = ''] = positionals
  const config = loadConfig()
  const db = openDb({
    url: config.LONGSHORE_DATABASE_URL,
    maxConnections: 2,
    // Counting ten million packages anew takes minutes.
    statementTimeoutMs: 3_600_000,
    applicationName: 'longshore-operate',
    onIdleError: () => {},
  })
  try {
    process.exitCode =
      command === 'reconcile'
        ? await runReconcile(config, db, values.repair === true, values['older-than'])
        : await run(config, db, command, id)
  } finally {
    await db.close()
  }
})

async function run(config: Config, db: Db, command: string | undefined, id: string): Promise<number> {
  if (command === 'setup-link') {
    const link = await makeSetupLink({ db, settings: { publicUrl: config.LONGSHORE_PUBLIC_URL } })
    console.log(link ?? 'There is a Team already: nothing to set up.')
    return link === undefined ? 1 : 0
  }
  if ((command === 'suspend-key' || command === 'unsuspend-key') && isId(id)) {
    const changed = await db.transaction((tx) => setSuspended(tx, id, command === 'suspend-key'))
    console.log(changed ? 'Done.' : 'No such key, or it was so already.')
    return changed ? 0 : 1
  }
  if (command === 'recount' && (id === '' || isId(id))) {
    for (const { teamId, mended } of await recount({ db }, id === '' ? undefined : id)) {
      console.log(`${teamId}: ${mended === 0 ? 'all right' : `${mended} count(s) mended`}`)
    }
    return 0
  }
  console.error(help)
  return 2
}

/** Findings go to stderr as log lines, the sum to stdout. Ends with 1 when bytes are missing. */
async function runReconcile(config: Config, db: Db, repairing: boolean, hours: unknown): Promise<number> {
  const olderThanHours = hours === undefined ? nightly.olderThanHours : Number(hours)
  if (!Number.isInteger(olderThanHours) || olderThanHours < 0 || (repairing && olderThanHours < leastRepairHours)) {
    console.error(`--older-than takes whole hours, with --repair at least ${leastRepairHours}.`)
    return 2
  }
  const log = createLog('longshore-operate', config.LONGSHORE_LOG_LEVEL, process.stderr)
  const settings = { storageLocation: config.LONGSHORE_S3_BUCKET }
  const blob = s3Blob(storageConfig(config))
  const tally = await reconcile(
    { db, blob, log, settings },
    { repairing, olderThanHours, careful: false },
    new AbortController().signal,
  )
  console.log(JSON.stringify(tally))
  return tally.missing > 0 ? 1 : 0
}
