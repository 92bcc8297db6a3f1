import { begin } from '@longshore/kit/lifecycle'
import { createLog } from '@longshore/kit/log'
import { migrate } from '#platform/migrate'
import { prepareQueue } from '#queue/engine'
import { loadConfig } from './config.ts'

begin(async () => {
  const config = loadConfig()
  const log = createLog('longshore-migrate', config.LONGSHORE_LOG_LEVEL)
  const done = await migrate(config.LONGSHORE_DATABASE_URL, log)
  await prepareQueue(config.LONGSHORE_DATABASE_URL)
  log.info({ migrations: done }, done.length === 0 ? 'the database was up to date' : 'the database is up to date')
})
