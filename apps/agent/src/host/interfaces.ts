import { type NetworkInterfaceInfo, networkInterfaces } from 'node:os'

/** A way out of this machine. */
export interface HostInterface {
  /** The system's name for it, such as `eth0`: stays the same over restarts. */
  readonly id: string
  readonly addresses: readonly string[]
}

/** The interfaces that are up and have an address that a request can come from. */
export function hostInterfaces(all: NodeJS.Dict<NetworkInterfaceInfo[]> = networkInterfaces()): HostInterface[] {
  return Object.entries(all)
    .map(([id, infos = []]) => ({ id, addresses: infos.filter(isUsable).map(({ address }) => address) }))
    .filter(({ addresses }) => addresses.length > 0)
    .sort((one, other) => (one.id < other.id ? -1 : 1))
}

// Addresses that are good on their own link alone lead nowhere.
const isUsable = ({ internal, address }: NetworkInterfaceInfo) =>
  !internal && !address.toLowerCase().startsWith('fe80:')

/** What is known of an interface when a request looks for its way. */
export interface Way {
  readonly id: string
  readonly active: number
  /** Measured lately; undefined where it has carried nothing lately. */
  readonly bytesPerSecond: number | undefined
}

// A chunk that took so many times as long as the others would only hold up the end.
const tooSlow = 50

/**
 * The interface on which one more request is likely to be done first: each has its share of what its interface carries.
 * One that nobody has measured is taken to be as fast as the fastest, so that it is tried. One that stands idle is used
 * first: what it carried with few requests says little about what it can.
 */
export function chooseWay(ways: readonly Way[]): string | undefined {
  const fastest = Math.max(1, ...ways.map(({ bytesPerSecond = 0 }) => bytesPerSecond))
  const wait = ({ active, bytesPerSecond = fastest }: Way) => (active + 1) / Math.max(1, bytesPerSecond)
  const idle = ways.find(({ active, bytesPerSecond = fastest }) => active === 0 && bytesPerSecond * tooSlow >= fastest)
  if (idle !== undefined) return idle.id
  let best: Way | undefined
  for (const way of ways) if (best === undefined || wait(way) < wait(best)) best = way
  return best?.id
}
