import type { Clock } from '@longshore/transfer/ports'
import { inForce, nextChange, wallTimeOf } from '@longshore/transfer/schedule'
import { limitOf, type Settings } from './settings.ts'
import type { Limit, Way } from './values.ts'

/** Whether a limit holds at this time of the host. */
export const holdsAt = (limit: Limit, at: number): boolean =>
  limit.enabled && (!limit.schedule_enabled || inForce(limit.schedule, wallTimeOf(at)))

export const shownLimit = (limit: Limit, at: number) => {
  const active = holdsAt(limit, at)
  return { ...limit, active_now: active, effective_bps: active ? limit.rate_limit_bps : null }
}

/** Who has to hold a limit: all transfers of one way, or one interface. */
export interface Governed {
  readonly way: Way
  readonly interfaceId?: string
  readonly set: (bytesPerSecond: number) => void
}

// Somebody may set the clock, or close the lid of the machine: no timer may be trusted for longer.
const longestTrust = 60_000

/** Keeps the limits in force as they are set and as their schedules say. Answers how to end it. */
export function governLimits(lent: {
  readonly settings: Settings
  readonly clock: Clock
  /** Milliseconds since 1970, for the time of day. */
  readonly now: () => number
  /** Asked at every look, since interfaces come and go. */
  readonly governed: () => readonly Governed[]
}): () => void {
  const { settings, clock, now } = lent
  let callOff = () => {}

  const look = () => {
    callOff()
    const at = now()
    const several = settings.value('multiconnect')
    let next = at + longestTrust
    for (const { way, interfaceId, set } of lent.governed()) {
      const limit = limitOf(settings, way, interfaceId)
      // Either the limits of the whole agent hold, or those of single interfaces.
      const counts = several === (interfaceId !== undefined)
      set(counts && holdsAt(limit, at) ? limit.rate_limit_bps / 8 : Number.POSITIVE_INFINITY)
      if (counts && limit.schedule_enabled) next = Math.min(next, nextChange(limit.schedule, at) ?? next)
    }
    callOff = clock.after(Math.max(1, next - at), look)
  }

  settings.onChange((name) => {
    if (name === 'limits' || name === 'multiconnect' || name === 'interfaces_off') look()
  })
  look()
  return () => callOff()
}
