import { begin } from '@longshore/kit/lifecycle'
import { loadConfig } from './config.ts'
import { startTelemetry } from './telemetry.ts'

begin(async () => {
  const config = loadConfig()
  const stopTelemetry = await startTelemetry(config.LONGSHORE_OTLP_ENDPOINT, 'longshore-worker')
  // Only now: tracing can only follow a library that is loaded after it.
  const { runWorker } = await import('./run-worker.ts')
  await runWorker(config, stopTelemetry)
})
