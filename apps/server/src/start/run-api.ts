import { armCrashPoint } from '@longshore/kit/crash-point'
import { stopGracefully } from '@longshore/kit/lifecycle'
import { createLog } from '@longshore/kit/log'
import { createServer } from '#api/server'
import { makeSetupLink } from '#domain/accounts/set-up'
import { type Config, listOf, portalUrl, shownConfig, storageOrigin, webFolder } from './config.ts'
import { openWorld } from './cx.ts'
import { checkStorage } from './storage-check.ts'

/** Serves the API until the process is told to end. */
export async function runApi(config: Config, stopTelemetry: () => Promise<void>): Promise<void> {
  const log = createLog('longshore-api', config.LONGSHORE_LOG_LEVEL)
  log.info({ config: shownConfig(config) }, 'starting')
  if (config.LONGSHORE_CRASH_AT !== '') armCrashPoint(config.LONGSHORE_CRASH_AT)

  await checkStorage(config, log)
  const world = await openWorld(config, log, 'api')
  const app = await createServer(world.cx, {
    trustedProxies: listOf(config.LONGSHORE_TRUSTED_PROXIES),
    allowedOrigins: listOf(config.LONGSHORE_ALLOWED_ORIGINS),
    metricsToken: config.LONGSHORE_METRICS_TOKEN,
    webApp: {
      folder: webFolder(config),
      storageOrigin: storageOrigin(config),
      portalUrl: portalUrl(config),
      downloadUrl: config.LONGSHORE_DOWNLOAD_URL,
    },
  })
  stopGracefully(log, async () => {
    // A connection that had a call under way is kept alive behind its answer and would hold up the end.
    const hangUp = setInterval(() => app.server.closeIdleConnections(), 100)
    await app.close()
    clearInterval(hangUp)
    await world.close()
    await stopTelemetry()
  })

  const { hostname, port } = new URL(`http://${config.LONGSHORE_LISTEN}`)
  await app.listen({ host: hostname.replace(/^\[|\]$/g, ''), port: Number(port || 80) })
  log.info({ listen: config.LONGSHORE_LISTEN }, 'serving')

  const setupLink = await makeSetupLink(world.cx)
  if (setupLink === undefined) return
  // To the terminal and not to the log: logs are kept, shipped and read by others.
  process.stderr.write(`\nNo Team yet. Create the first one here (valid once, 24 hours):\n  ${setupLink}\n\n`)
}
