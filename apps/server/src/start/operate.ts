import { isId } from '@longshore/kit/ids'
import { begin } from '@longshore/kit/lifecycle'
import { makeSetupLink } from '#domain/accounts/set-up'
import { recount } from '#domain/packages/check-counts'
import { type Db, openDb } from '#platform/db'
import { setSuspended } from '#store/api-keys'
import { type Config, loadConfig } from './config.ts'

const help = `What only an operator may do. The configuration is the server's.

  npm run operate -- setup-link            a new one-time link, while there is no Team
  npm run operate -- suspend-key ID        stop an API key; its owner cannot start it again
  npm run operate -- unsuspend-key ID      make a suspended API key active again
  npm run operate -- recount [TEAM]        count packages anew, of one Team or all; nobody has to wait meanwhile
`

begin(async () => {
  const [command, id = ''] = process.argv.slice(2)
  const config = loadConfig()
  const db = openDb({
    url: config.LONGSHORE_DATABASE_URL,
    maxConnections: 1,
    // Counting ten million packages anew takes minutes.
    statementTimeoutMs: 3_600_000,
    applicationName: 'longshore-operate',
    onIdleError: () => {},
  })
  try {
    process.exitCode = await run(config, db, command, id)
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
