import type { Cx } from '#domain/cx'
import { invalid } from '#domain/refusal'

export interface WebhookFields {
  readonly active: boolean
  readonly events: readonly string[]
  readonly method: 'POST' | 'PUT'
  readonly url: string
  readonly name?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body_extras?: Readonly<Record<string, string>>
}

/** What the schema cannot say of a webhook. Answers its URL in normal form; the network is asked, so no transaction. */
export async function checkWebhook(cx: Pick<Cx, 'hooks'>, given: WebhookFields): Promise<string> {
  checkHeaders(given.headers ?? {})
  checkExtras(given.body_extras ?? {})
  const url = checkUrl(given.url)
  const refused = await cx.hooks.whyRefused(url)
  if (refused !== undefined) throw invalid('url', refused)
  return url.href
}

// Services that answer to a line of HTTP with more than an error, or that nobody means to be called by us.
const servicePorts = new Set([
  1433, 1521, 2049, 2375, 2376, 2379, 2380, 3306, 3389, 5432, 5672, 5900, 5984, 6379, 6443, 9042, 9092, 9200, 9300,
  10_250, 11_211, 27_017,
])
const firstFreePort = 1024

/** A URL is read once, here, and from then on used in the form that this reading gave it. */
export function checkUrl(text: string, field = 'url'): URL {
  const url = URL.parse(text)
  if (url === null) throw invalid(field, 'must be a URL')
  if (url.protocol !== 'http:' && url.protocol !== 'https:') throw invalid(field, 'must begin with http:// or https://')
  if (url.username !== '' || url.password !== '') {
    throw invalid(field, 'must hold no user name or password; send them in an Authorization header')
  }
  // The standard ports are left out by the parser.
  const port = url.port === '' ? undefined : Number(url.port)
  const standard = port === undefined || port === 80 || port === 443
  if (!standard && (port < firstFreePort || servicePorts.has(port))) {
    throw invalid(field, `must not use port ${port}, which belongs to another service`)
  }
  url.hash = ''
  url.hostname = url.hostname.replace(/\.$/, '')
  return url
}

// Those of a connection, those that frame the message, and those that we set ourselves.
const ownHeaders = new Set([
  'connection',
  'expect',
  'host',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])
const ownPrefixes = ['content-', 'webhook-']

// Common servers take 8 to 16 KiB of headers in all.
const longestHeaders = 8 * 1024

export function checkHeaders(headers: Readonly<Record<string, string>>): void {
  const seen = new Set<string>()
  let length = 0
  for (const [given, value] of Object.entries(headers)) {
    const name = given.toLowerCase()
    if (ownHeaders.has(name) || ownPrefixes.some((prefix) => name.startsWith(prefix))) {
      throw invalid(`headers/${given}`, 'is set by us and cannot be chosen')
    }
    if (seen.has(name)) throw invalid(`headers/${given}`, 'is there twice')
    seen.add(name)
    length += name.length + value.length
  }
  if (length > longestHeaders) throw invalid('headers', `must have at most ${longestHeaders} bytes in all`)
}

const longestExtras = 16 * 1024

/** Extras stay below their own key in the body, so they cannot stand in for anything of ours. */
function checkExtras(extras: Readonly<Record<string, string>>): void {
  if (Buffer.byteLength(JSON.stringify(extras)) > longestExtras) {
    throw invalid('body_extras', `must have at most ${longestExtras} bytes in all`)
  }
}
