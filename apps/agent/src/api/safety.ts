import type { IncomingMessage } from 'node:http'
import { sameSecret } from '@longshore/kit/secrets'
import { Refusal } from '@longshore/kit/refusal'

/** Who may call the agent. */
export interface Safety {
  /** Asked of every caller where there is one. */
  readonly token: string | undefined
  /** True where only programs of this machine can reach it. */
  readonly loopbackOnly: boolean
}

const loopbackNames = new Set(['localhost', '127.0.0.1', '[::1]'])

/** Whether a name leads to this very machine. */
export const isLoopback = (host: string): boolean => loopbackNames.has(host.toLowerCase()) || host === '::1'

const foreign = (why: string) => new Refusal('foreign_caller', `${why} ${new Refusal('foreign_caller').message}`)

/**
 * Lets through programs of the owner, and no web page. A page on another origin says so in `Origin` or
 * `Sec-Fetch-Site`. A page whose own name was made to point to this machine is of the same origin and says nothing, but
 * its name is in `Host`.
 */
export function admit({ headers, rawHeaders }: IncomingMessage, safety: Safety): void {
  const host = headers.host ?? ''
  if (safety.loopbackOnly && !isLoopback(nameIn(host))) throw foreign(`The Host of this request is '${host}'.`)
  // Node keeps the first of several, a proxy before us might have looked at another.
  if (rawHeaders.filter((name, index) => index % 2 === 0 && name.toLowerCase() === 'host').length > 1) {
    throw foreign('This request has more than one Host.')
  }
  const { origin } = headers
  if (origin !== undefined && origin.toLowerCase() !== `http://${host}`.toLowerCase()) {
    throw foreign(`This request comes from a page of '${origin}'.`)
  }
  const site = headers['sec-fetch-site']
  if (site !== undefined && site !== 'same-origin' && site !== 'none') {
    throw foreign('This request comes from a page of another site.')
  }
  if (safety.token === undefined) return
  const [scheme, shown = ''] = (headers.authorization ?? '').split(' ')
  if (scheme?.toLowerCase() !== 'bearer' || !sameSecret(shown, safety.token)) throw new Refusal('agent_token_wrong')
}

/** The name in `name:port`, with the brackets of an IPv6 address. */
const nameIn = (host: string) => /^(\[[^\]]*\]|[^:]*)(?::\d+)?$/.exec(host)?.[1] ?? ''
