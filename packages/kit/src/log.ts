import { type DestinationStream, type Logger, pino } from 'pino'

export type Log = Logger

/** A JSON log with one line per outcome. Whatever looks like a secret is removed before it is written. */
export function createLog(name: string, level: string, destination?: DestinationStream): Log {
  return pino(
    {
      name,
      level,
      redact: {
        paths: ['password', 'token', 'secret', 'key', 'authorization', '*.password', '*.token', '*.secret', '*.key'],
        censor: '[removed]',
      },
    },
    destination ?? pino.destination({ dest: 1, sync: false }),
  )
}
