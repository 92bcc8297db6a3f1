import { createLog } from '@longshore/kit/log'
import { makeSetupLink } from '#domain/accounts/set-up'
import { openDb } from '#platform/db'
import { setSuspended } from '#store/api-keys'
import { loadConfig } from './config.ts'

const help = `What only an operator may do. The configuration is the server's.

  npm run operate -- setup-link            a new one-time link, while there is no Team
  npm run operate -- suspend-key ID        stop an API key; its owner cannot start it again
  npm run operate -- unsuspend-key ID      make a suspended API key active again
`

const [command, id] = process.argv.slice(2)
const config = loadConfig()
const log = createLog('longshore-operate', config.LONGSHORE_LOG_LEVEL)
const db = openDb({
  url: config.LONGSHORE_DATABASE_URL,
  maxConnections: 1,
  statementTimeoutMs: 10_000,
  applicationName: 'longshore-operate',
  onIdleError: (err) => log.warn({ err }, 'database connection lost'),
})

async function run(): Promise<number> {
  switch (command) {
    case 'setup-link': {
      const link = await makeSetupLink({ db, settings: { publicUrl: config.LONGSHORE_PUBLIC_URL } })
      console.log(link ?? 'There is a Team already: nothing to set up.')
      return link === undefined ? 1 : 0
    }
    case 'suspend-key':
    case 'unsuspend-key': {
      if (id === undefined) break
      const changed = await db.transaction((tx) => setSuspended(tx, id, command === 'suspend-key'))
      console.log(changed ? 'Done.' : 'No such key, or it was so already.')
      return changed ? 0 : 1
    }
  }
  console.error(help)
  return 2
}

try {
  process.exitCode = await run()
} finally {
  await db.close()
}
