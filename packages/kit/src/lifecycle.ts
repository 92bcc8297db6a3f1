import closeWithGrace from 'close-with-grace'
import type { Log } from './log.ts'

/** Runs `stop` once when the process is told to end, or when an error nobody caught makes it unsafe to go on. */
export function stopGracefully(log: Log, stop: () => Promise<void>, delay = 30_000): void {
  closeWithGrace({ delay, logger: false }, async ({ signal, err }) => {
    if (err) log.fatal({ err }, 'stopping after an error nobody caught')
    else log.info({ signal }, 'stopping')
    await stop()
    log.info('stopped')
    log.flush()
  })
}
