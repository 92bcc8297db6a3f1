import type { HookAnswer } from '#outbound/hooks'

/** What follows from one attempt. */
export type Outcome =
  | { readonly kind: 'delivered'; readonly status: number }
  | {
      readonly kind: 'failed'
      readonly status: number
      readonly error: string
      /** Null: there is no next attempt. */
      readonly retrySeconds: number | null
      /** The receiver wants no more of this webhook at all. */
      readonly deactivates: boolean
    }

export interface Schedule {
  /** Seconds between the attempts; one attempt more than there are pauses. */
  readonly pauses: readonly number[]
  /** Between 0 and 1. */
  readonly chance: number
  readonly now: Date
}

// A receiver may ask for patience, but not push an event out of sight.
const longestRetryAfter = 3600
// So that many events that failed together do not all come back in the same second.
const jitter = 0.1

/** Judges the answer to an attempt that had so many before it. */
export function judge(answer: HookAnswer, attemptsBefore: number, schedule: Schedule): Outcome {
  if (answer.kind === 'answered' && answer.status >= 200 && answer.status < 300) {
    return { kind: 'delivered', status: answer.status }
  }
  const gone = answer.kind === 'answered' && answer.status === 410
  const pause = gone ? undefined : schedule.pauses[attemptsBefore]
  const asked = answer.kind === 'answered' ? retryAfterSeconds(answer.retryAfter, schedule.now) : 0
  return {
    kind: 'failed',
    status: answer.kind === 'answered' ? answer.status : 0,
    error: answer.kind === 'answered' ? reasonFor(answer.status) : answer.reason,
    retrySeconds: pause === undefined ? null : Math.max(asked, pause * (1 - jitter + 2 * jitter * schedule.chance)),
    deactivates: gone,
  }
}

function reasonFor(status: number): string {
  if (status === 410) return 'The endpoint answered 410: it wants no more events. The webhook was switched off.'
  if (status >= 300 && status < 400) return `The endpoint answered ${status}: redirects are not followed.`
  return `The endpoint answered ${status}.`
}

/** Seconds, or a date. 0 when there is none that can be read. */
export function retryAfterSeconds(text: string | undefined, now: Date): number {
  if (text === undefined) return 0
  const seconds = /^\d{1,9}$/.test(text.trim()) ? Number(text) : (Date.parse(text) - now.getTime()) / 1000
  return Number.isNaN(seconds) ? 0 : Math.min(Math.max(seconds, 0), longestRetryAfter)
}
