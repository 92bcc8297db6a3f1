import ipaddr from 'ipaddr.js'

type Address = ipaddr.IPv4 | ipaddr.IPv6

/** Says of an address in text whether we may talk to it. */
export type MayReach = (address: string) => boolean

// Of IPv6 only this is in use as public; what lies outside is refused before anybody gives it a meaning.
const globalIpv6 = ipaddr.parseCIDR('2000::/3') as [ipaddr.IPv6, number]

/**
 * Public addresses, and private ones that the operator listed. IPv4 that is dressed up as IPv6 is judged as the IPv4 it
 * is; ways to IPv4 through a translator (NAT64, 6to4, Teredo) count as private, because they may lead there.
 */
export function reachable(allowedRanges: readonly string[]): MayReach {
  const allowed = allowedRanges.map(parseRange)
  return (text) => {
    if (!ipaddr.isValid(text)) return false
    const address = ipaddr.process(text)
    return isPublic(address) || allowed.some((range) => contains(range, address))
  }
}

const isPublic = (address: Address): boolean =>
  address.range() === 'unicast' && (address instanceof ipaddr.IPv4 || address.match(globalIpv6))

function parseRange(text: string): [Address, number] {
  try {
    return ipaddr.parseCIDR(text)
  } catch (cause) {
    throw new Error(`'${text}' is no range of addresses. Write it as 10.0.0.0/8 or fd00::/8.`, { cause })
  }
}

const contains = ([network, bits]: [Address, number], address: Address): boolean =>
  address.kind() === network.kind() && address.match(network, bits)
