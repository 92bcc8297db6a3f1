import { Refusal } from '@longshore/kit/refusal'
import type { Database } from '#state/database'
import { readSetting, saveSetting } from '#state/settings'
import { type DiskRules, defaults, type Limit, noLimit, type Values, type Way } from './values.ts'

/** What the owner of the agent has set. Kept before it is answered, and in force at once. */
export interface Settings {
  readonly value: <Name extends keyof Values>(name: Name) => Values[Name]
  readonly set: <Name extends keyof Values>(name: Name, value: Values[Name]) => void
  /** Told after every change. */
  readonly onChange: (act: (name: keyof Values) => void) => void
}

export function openSettings(db: Database): Settings {
  const kept = new Map<string, unknown>(
    (Object.keys(defaults) as (keyof Values)[]).map((name) => [name, readSetting(db, name) ?? defaults[name]]),
  )
  const listeners: ((name: keyof Values) => void)[] = []
  return {
    value: (name) => kept.get(name) as Values[typeof name],
    set: (name, value) => {
      saveSetting(db, name, value)
      kept.set(name, value)
      for (const listener of listeners) listener(name)
    },
    onChange: (act) => void listeners.push(act),
  }
}

export const rulesFor = (settings: Settings, diskId: string): DiskRules =>
  settings.value('disks')[diskId] ?? settings.value('disk_default')

const keyOf = (way: Way, interfaceId: string | undefined) => (interfaceId === undefined ? way : `${way}/${interfaceId}`)

export const limitOf = (settings: Settings, way: Way, interfaceId?: string): Limit =>
  settings.value('limits')[keyOf(way, interfaceId)] ?? noLimit

/** What is left out of the new one stays as it was. */
export function setLimit(settings: Settings, given: NewLimit, way: Way, interfaceId?: string): Limit {
  if (given.enabled && given.rate_limit_bps === 0) {
    const field = 'rate_limit_bps'
    const reason = 'must be more than 0 where the limit is enabled'
    throw new Refusal('validation_failed', `${field}: ${reason}`, { details: [{ field, reason }] })
  }
  const { rate_limit_bps, enabled, schedule_enabled, schedule } = { ...limitOf(settings, way, interfaceId), ...given }
  const limit = { rate_limit_bps, enabled, schedule_enabled, schedule }
  settings.set('limits', { ...settings.value('limits'), [keyOf(way, interfaceId)]: limit })
  return limit
}

export type NewLimit = Pick<Limit, 'rate_limit_bps' | 'enabled'> & Partial<Pick<Limit, 'schedule_enabled' | 'schedule'>>
