import { begin } from '@longshore/kit/lifecycle'
import { loadConfig } from './config.ts'
import { startTelemetry } from './telemetry.ts'

begin(async () => {
  const config = loadConfig()
  const stopTelemetry = await startTelemetry(config.LONGSHORE_OTLP_ENDPOINT, 'longshore-api')
  // Only now: tracing can only follow a library that is loaded after it.
  const { runApi } = await import('./run-api.ts')
  await runApi(config, stopTelemetry)
})
