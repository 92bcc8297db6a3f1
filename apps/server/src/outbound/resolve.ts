import type { LookupAddress } from 'node:dns'
import { lookup, Resolver } from 'node:dns/promises'
import type { Resolve } from './guarded-connect.ts'

/**
 * Resolves names that strangers chose.
 *
 * DNS is asked directly: the system's own look-up keeps one of few threads for as long as it takes, and somebody whose
 * name servers keep still could so stop everything else that needs one, password hashes included. What DNS does not
 * know, the system may (its hosts file, its search domains); it is asked then, since the answer is near.
 */
export function dnsFirst(options: { readonly timeoutMs?: number; readonly servers?: readonly string[] } = {}): Resolve {
  const resolver = new Resolver({ timeout: options.timeoutMs ?? 2_000, tries: 2 })
  if (options.servers !== undefined) resolver.setServers(options.servers)
  return async (name) => {
    const asked = await Promise.allSettled([
      resolver.resolve4(name).then((found) => found.map((address): LookupAddress => ({ address, family: 4 }))),
      resolver.resolve6(name).then((found) => found.map((address): LookupAddress => ({ address, family: 6 }))),
    ])
    const found = asked.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []))
    if (found.length > 0) return found
    const late = asked.find((answer) => answer.status === 'rejected' && codeOf(answer.reason) === 'ETIMEOUT')
    if (late?.status === 'rejected') throw late.reason
    return lookup(name, { all: true, verbatim: true })
  }
}

const codeOf = (error: unknown): string | undefined => (error as NodeJS.ErrnoException).code
