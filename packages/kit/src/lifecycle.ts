import closeWithGrace from 'close-with-grace'
import type { Log } from './log.ts'

/** Runs a program. One that cannot start says why in a sentence, not in a stack trace. */
export function begin(main: () => Promise<void>): void {
  main().catch((error: unknown) => {
    const { message, stack = '', cause } = error as Error
    // What we throw ourselves has a cause or says enough; what nobody expected needs its trace.
    const expected = error instanceof Error && (cause !== undefined || error.constructor === Error)
    process.stderr.write(`\nCould not start: ${expected ? message : stack}\n`)
    process.exit(1)
  })
}

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
