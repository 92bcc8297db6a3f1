import { armCrashPoint } from '@longshore/kit/crash-point'
import { stopGracefully } from '@longshore/kit/lifecycle'
import { createLog } from '@longshore/kit/log'
import { tidy } from '#domain/housekeeping'
import { handlers } from '#worker/handlers'
import { type Carrier, startCarrier } from '#worker/carrier'
import { type Courier, startCourier } from '#worker/courier'
import { type Inspector, startInspector } from '#worker/inspector'
import { timetable } from '#worker/timetable'
import { type Config, shownConfig } from './config.ts'
import { openWorld } from './cx.ts'

/** Works off orders and the timetable until the process is told to end. */
export async function runWorker(config: Config, stopTelemetry: () => Promise<void>): Promise<void> {
  const log = createLog('longshore-worker', config.LONGSHORE_LOG_LEVEL)
  log.info({ config: shownConfig(config) }, 'starting')
  if (config.LONGSHORE_CRASH_AT !== '') armCrashPoint(config.LONGSHORE_CRASH_AT)

  const world = await openWorld(config, log, 'worker')
  let courier: Courier | undefined
  let inspector: Inspector | undefined
  let carrier: Carrier | undefined
  stopGracefully(log, async () => {
    await Promise.all([courier?.stop(), inspector?.stop(), carrier?.stop()])
    await world.close()
    await stopTelemetry()
  })
  await tidy(world.cx)
  await world.queue.work(handlers(world.cx), timetable)
  courier = startCourier(world.cx)
  inspector = startInspector(world.cx)
  carrier = startCarrier(world.cx)
  log.info('working')
}
