import { Agent as HttpAgent } from 'node:http'
import { Agent as HttpsAgent } from 'node:https'
import { isIPv6 } from 'node:net'
import { Fault } from '@longshore/transfer/faults'
import type { Clock, Motion } from '@longshore/transfer/ports'
import { createLimiter, type Limiter } from '@longshore/transfer/rate'
import { errorCode } from '#host/disk-faults'
import { chooseWay, type HostInterface, hostInterfaces } from '#host/interfaces'
import { createTraffic, type Traffic } from '#host/traffic'

export type Direction = 'up' | 'down'

/** The way that one request takes. */
export interface Line {
  readonly agent: HttpAgent | HttpsAgent
  /** For connections that are not the agent's: where they come from, and when that way is gone. */
  readonly localAddress: string | undefined
  readonly lost: AbortSignal
  /** What it was given, with the limits and counters of this way. */
  readonly motion: Motion
  readonly failed: (error: unknown) => void
  readonly leave: () => void
}

export interface InterfaceUse extends HostInterface {
  readonly enabled: boolean
  readonly activeChunks: number
  /** Bytes a second. */
  readonly up: number
  readonly down: number
}

/**
 * The connections to storage. As a rule the system chooses the way; with multiconnect, requests are spread over all
 * enabled interfaces by what each of them carries, and those of an interface that is lost go elsewhere.
 */
export interface Network {
  readonly take: (url: string, direction: Direction, motion: Motion) => Line
  readonly setMulticonnect: (enabled: boolean) => void
  readonly enable: (interfaceId: string, enabled: boolean) => void
  /** A limit for one interface, in force with multiconnect alone. `Infinity` for none. */
  readonly limit: (interfaceId: string, direction: Direction, bytesPerSecond: number) => void
  readonly interfaces: () => InterfaceUse[]
  readonly close: () => void
}

/** What is kept of an interface, also while it is gone. */
interface Known {
  readonly id: string
  readonly traffic: Readonly<Record<Direction, Traffic>>
  readonly limiters: Readonly<Record<Direction, Limiter>>
  enabled: boolean
  address: string | undefined
  agents: Agents | undefined
  /** Not to be tried before. */
  avoidedUntil: number
}

const betweenLooksMs = 1_000
const avoidedForMs = 10_000

export function createNetwork(lent: {
  readonly clock: Clock
  readonly interfaces?: () => readonly HostInterface[]
}): Network {
  const { clock, interfaces: listed = hostInterfaces } = lent
  const usual = openAgents()
  const known = new Map<string, Known>()
  let multiconnect = false
  let active = 0
  let lookedAt = Number.NEGATIVE_INFINITY
  let callOff = () => {}

  const interfaceOf = (id: string): Known => {
    const one = known.get(id) ?? newInterface(id, clock)
    known.set(id, one)
    return one
  }

  /** Sees which interfaces are there. Requests on one that went away end now instead of waiting for an answer. */
  const look = () => {
    lookedAt = clock.now()
    const addresses = new Map(listed().map(({ id, addresses }) => [id, sourceAddress(addresses)]))
    for (const id of addresses.keys()) interfaceOf(id)
    for (const one of known.values()) {
      const address = addresses.get(one.id)
      if (address === one.address) continue
      one.agents?.close()
      one.agents = undefined
      one.address = address
    }
  }

  const watch = () => {
    callOff()
    if (!multiconnect || active === 0) return
    callOff = clock.after(betweenLooksMs, () => {
      look()
      watch()
    })
  }

  const way = (direction: Direction): Known | undefined => {
    if (!multiconnect) return undefined
    if (clock.now() - lookedAt >= betweenLooksMs) look()
    const there = [...known.values()].filter(({ enabled, address }) => enabled && address !== undefined)
    const usable = there.filter(({ avoidedUntil }) => avoidedUntil <= clock.now())
    const ways = (usable.length > 0 ? usable : there).map(({ id, traffic }) => ({
      id,
      active: traffic[direction].active(),
      bytesPerSecond: traffic[direction].capacity(),
    }))
    const id = chooseWay(ways)
    return id === undefined ? undefined : interfaceOf(id)
  }

  return {
    take: (url, direction, motion) => {
      const secure = url.startsWith('https:')
      const by = way(direction)
      active++
      watch()
      const leave = () => {
        active--
        watch()
      }
      if (by === undefined) return { ...lineOf(usual, secure), motion, failed: () => {}, leave }
      by.agents ??= openAgents(by.address)
      const traffic = by.traffic[direction]
      traffic.begin()
      return {
        ...lineOf(by.agents, secure),
        motion: within(motion, by.limiters[direction], traffic),
        failed: (error) => {
          if (isLost(error, motion.signal)) by.avoidedUntil = clock.now() + avoidedForMs
        },
        leave: () => {
          traffic.end()
          leave()
        },
      }
    },
    setMulticonnect: (enabled) => {
      multiconnect = enabled
      watch()
    },
    enable: (id, enabled) => {
      interfaceOf(id).enabled = enabled
    },
    limit: (id, direction, bytesPerSecond) => interfaceOf(id).limiters[direction].set(bytesPerSecond),
    interfaces: () => {
      const all = listed()
      return all.map(({ id, addresses }) => {
        const { enabled, traffic } = interfaceOf(id)
        const activeChunks = traffic.up.active() + traffic.down.active()
        return { id, addresses, enabled, activeChunks, up: traffic.up.speed(), down: traffic.down.speed() }
      })
    },
    close: () => {
      callOff()
      usual.close()
      for (const { agents } of known.values()) agents?.close()
    },
  }
}

const newInterface = (id: string, clock: Clock): Known => ({
  id,
  traffic: { up: createTraffic(clock.now), down: createTraffic(clock.now) },
  limiters: { up: createLimiter(clock), down: createLimiter(clock) },
  enabled: true,
  address: undefined,
  agents: undefined,
  avoidedUntil: 0,
})

/** The address that requests of an interface come from. */
const sourceAddress = (addresses: readonly string[]) => addresses.find((one) => !isIPv6(one)) ?? addresses[0]

interface Agents {
  readonly http: HttpAgent
  readonly https: HttpsAgent
  readonly localAddress: string | undefined
  readonly lost: AbortSignal
  readonly close: () => void
}

// Shorter than the patience of any server with idle connections, so that it is we who close them.
const idleMs = 10_000

function openAgents(localAddress?: string): Agents {
  const from = localAddress === undefined ? {} : { localAddress, family: isIPv6(localAddress) ? 6 : 4 }
  const options = { keepAlive: true, timeout: idleMs, scheduling: 'lifo', ...from } as const
  const http = new HttpAgent(options)
  const https = new HttpsAgent(options)
  const losing = new AbortController()
  return {
    http,
    https,
    localAddress,
    lost: losing.signal,
    close: () => {
      losing.abort(Object.assign(new Error('The network interface is gone.'), { code: 'ENETDOWN' }))
      http.destroy()
      https.destroy()
    },
  }
}

const lineOf = ({ http, https, localAddress, lost }: Agents, secure: boolean) => ({
  agent: secure ? https : http,
  localAddress,
  lost,
})

function within(motion: Motion, limiter: Limiter, traffic: Traffic): Motion {
  return {
    ...motion,
    pace: (bytes) => {
      const limited = () => {
        const held = limiter.pace(bytes, motion.signal)
        return held === undefined ? undefined : motion.waiting(held)
      }
      const held = motion.pace(bytes)
      return held === undefined ? limited() : held.then(limited)
    },
    moved: (bytes) => {
      traffic.moved(bytes)
      motion.moved(bytes)
    },
  }
}

const lost = new Set(['EADDRNOTAVAIL', 'ENETUNREACH', 'EHOSTUNREACH', 'ENETDOWN', 'ETIMEDOUT', 'EINVAL'])

const isLost = (error: unknown, { reason }: AbortSignal) =>
  lost.has(errorCode(error) ?? '') || (reason instanceof Fault && reason.code === 'stalled')
