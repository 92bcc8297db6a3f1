import {
  multiconnectStatus,
  type RateLimit,
  readDownloadLimit,
  readInterfaceDownloadLimit,
  readInterfaceUploadLimit,
  readUploadLimit,
  setDownloadLimit,
  setInterfaceDownloadLimit,
  setInterfaceUploadLimit,
  setUploadLimit,
} from '@longshore/contract/agent/settings'
import type { Static } from 'typebox'
import { type AgentWish, needAgent } from '#cli/agent/connection'
import { parseRate, showRate } from '#cli/human/rate'
import { parseSchedule, showSchedule } from '#cli/human/schedule'
import { Misuse } from '#cli/misuse'
import { tell } from '#cli/settings/words'
import type { Shell } from '#cli/shell'

export interface LimitOptions extends AgentWish {
  readonly schedule?: string
  readonly always?: boolean
  readonly interface?: string
}

const limits = {
  upload: {
    read: readUploadLimit,
    set: setUploadLimit,
    readOf: readInterfaceUploadLimit,
    setOf: setInterfaceUploadLimit,
  },
  download: {
    read: readDownloadLimit,
    set: setDownloadLimit,
    readOf: readInterfaceDownloadLimit,
    setOf: setInterfaceDownloadLimit,
  },
} as const

/** Shows or sets how fast all uploads, or all downloads, may be together. */
export async function limit(
  shell: Shell,
  direction: keyof typeof limits,
  rate: string | undefined,
  options: LimitOptions,
): Promise<void> {
  const { read, set, readOf, setOf } = limits[direction]
  const change = changeOfLimit(rate, options)
  const agent = await needAgent(shell, options)
  const params = options.interface === undefined ? undefined : { iface_id: options.interface }
  const now = params === undefined ? await agent.call(read) : await agent.call(readOf, { params })
  if (change === undefined) return tell(shell, now, describeLimit(now))
  const { rate_limit_bps, enabled, schedule_enabled, schedule } = { ...now, ...change }
  if (enabled && rate_limit_bps === 0) throw new Misuse('Say how fast first, like 20MB/s.')
  const body = { rate_limit_bps, enabled, schedule_enabled, schedule }
  const after = params === undefined ? await agent.call(set, { body }) : await agent.call(setOf, { params, body })
  tell(shell, after, describeLimit(after))
  const { enabled: severalInterfaces } = await agent.call(multiconnectStatus)
  if (params === undefined && severalInterfaces) {
    shell.say('It does not hold now: with several interfaces on, each has its own (--interface NAME).')
  } else if (params !== undefined && !severalInterfaces) {
    shell.say('It holds once several interfaces are on: longshore settings interfaces on')
  }
}

type Limit = Static<typeof RateLimit>

/** What the command line asks to be different; nothing where it only asks. */
export function changeOfLimit(
  rate: string | undefined,
  { schedule, always }: LimitOptions,
): Partial<Pick<Limit, 'rate_limit_bps' | 'enabled' | 'schedule_enabled' | 'schedule'>> | undefined {
  if (schedule !== undefined && always === true) throw new Misuse('Say --schedule or --always, not both.')
  if (rate === 'off') return { enabled: false }
  const when =
    schedule === undefined
      ? always === true
        ? { schedule_enabled: false }
        : {}
      : { schedule_enabled: true, schedule: parseSchedule(schedule) }
  if (rate !== undefined) return { rate_limit_bps: parseRate(rate), enabled: true, ...when }
  return Object.keys(when).length === 0 ? undefined : when
}

export function describeLimit({ enabled, rate_limit_bps, schedule_enabled, schedule, active_now }: Limit): string {
  if (!enabled) return 'off'
  const when = schedule_enabled ? `${showSchedule(schedule)} (${active_now ? 'in force now' : 'not now'})` : 'always'
  return `${showRate(rate_limit_bps)}, ${when}`
}
