import type { LookupAddress, LookupOptions } from 'node:dns'
import { isIP, type LookupFunction } from 'node:net'
import { buildConnector } from 'undici'
import type { MayReach } from './public-address.ts'

/** Asks for all addresses of a name. */
export type Resolve = (name: string) => Promise<readonly LookupAddress[]>

/** A place that we do not talk to. */
export class ForbiddenAddress extends Error {
  constructor() {
    super('its address is not public')
    this.name = 'ForbiddenAddress'
  }
}

/** Without the brackets of IPv6 and the dot that says a name is whole. */
const plainHost = (host: string): string => host.replace(/^\[|\]$/g, '').replace(/\.$/, '')

/** Resolves a host as URLs spell it. Fails unless we may talk to every one of its addresses. */
export async function resolveAllowed(host: string, resolve: Resolve, mayReach: MayReach): Promise<LookupAddress[]> {
  const literal = plainHost(host)
  const family = isIP(literal)
  const addresses = family === 0 ? await resolve(literal) : [{ address: literal, family }]
  // One private address among public ones is enough: which of them is used is not for the name's owner to choose.
  if (addresses.length === 0 || !addresses.every(({ address }) => mayReach(address))) throw new ForbiddenAddress()
  return [...addresses]
}

/**
 * Makes connections to allowed addresses only.
 *
 * The check is in the connection's own look-up: a name that was asked beforehand may have another answer by now. A
 * literal address is never looked up, so it is checked by itself; and the address that the socket ended at, once more.
 */
export function guardedConnect(
  resolve: Resolve,
  mayReach: MayReach,
  options: { readonly connectMs: number },
): buildConnector.connector {
  const answer = async (host: string, asked: LookupOptions, done: Parameters<LookupFunction>[2]): Promise<void> => {
    let addresses: LookupAddress[]
    try {
      addresses = await resolveAllowed(host, resolve, mayReach)
    } catch (error) {
      return done(error as NodeJS.ErrnoException, '')
    }
    const first = addresses[0] as LookupAddress
    return asked.all === true ? done(null, addresses) : done(null, first.address, first.family)
  }
  const lookup: LookupFunction = (host, asked, done) => void answer(host, asked, done)
  const connect = buildConnector({ timeout: options.connectMs, allowH2: false, lookup })
  return (target, callback) => {
    const literal = plainHost(target.hostname)
    if (isIP(literal) !== 0 && !mayReach(literal)) return callback(new ForbiddenAddress(), null)
    return connect(target, (...[error, socket]) => {
      if (error !== null) return callback(error, null)
      if (!mayReach(socket.remoteAddress ?? '')) {
        socket.destroy()
        return callback(new ForbiddenAddress(), null)
      }
      return callback(null, socket)
    })
  }
}
