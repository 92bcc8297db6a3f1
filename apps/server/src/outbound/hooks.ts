import { Webhook } from 'standardwebhooks'
import { Agent, errors, request } from 'undici'
import { ForbiddenAddress, guardedConnect, type Resolve, resolveAllowed } from './guarded-connect.ts'
import { reachable } from './public-address.ts'
import { dnsFirst } from './resolve.ts'

export interface HookCall {
  readonly method: 'POST' | 'PUT'
  readonly url: string
  /** The webhook's own headers, checked when they were set. */
  readonly headers: Readonly<Record<string, string>>
  readonly eventId: string
  readonly body: string
  /** Each signs; a receiver that knows one of them is content. */
  readonly secrets: readonly string[]
}

export type HookAnswer =
  | { readonly kind: 'answered'; readonly status: number; readonly retryAfter: string | undefined }
  /** `reason` may be shown to the webhook's owner. `hung`: it took the call, or did not even refuse it, and kept still. */
  | { readonly kind: 'unanswered'; readonly reason: string; readonly hung: boolean }

/** Calls other people's endpoints. */
export interface Hooks {
  /** Whether every address of the URL's host, as it is now, is one that we talk to. Says why not. */
  whyRefused(url: URL): Promise<string | undefined>
  /** Never fails: what goes wrong is an answer too. */
  send(call: HookCall): Promise<HookAnswer>
  close(): Promise<void>
}

export interface HooksOptions {
  /** Private ranges that the operator allows. */
  readonly allowedRanges: readonly string[]
  readonly connectMs?: number
  readonly totalMs?: number
  /** How names are resolved; tests lend their own. */
  readonly resolve?: Resolve
}

const connectLimit = 10_000
const totalLimit = 15_000
// Nothing of a reply is used but its status. Reading the rest keeps the connection usable, and is not worth more.
const replyLimit = 64 * 1024
const drainMs = 2_000

export function guardedHooks(options: HooksOptions): Hooks {
  const mayReach = reachable(options.allowedRanges)
  const resolve = options.resolve ?? dnsFirst()
  const totalMs = options.totalMs ?? totalLimit
  const agent = new Agent({
    connect: guardedConnect(resolve, mayReach, { connectMs: options.connectMs ?? connectLimit }),
    allowH2: false,
    pipelining: 1,
    maxHeaderSize: replyLimit,
    // Long enough for a burst of events, too short for endpoints that close idle connections without a word.
    keepAliveTimeout: 1_000,
    keepAliveMaxTimeout: 1_000,
  })

  return {
    async whyRefused(url) {
      try {
        await resolveAllowed(url.hostname, resolve, mayReach)
        return undefined
      } catch (error) {
        if (error instanceof ForbiddenAddress) return 'must lead to a public address'
        return 'must name a host that can be found'
      }
    },

    async send(call) {
      try {
        const { statusCode, headers, body } = await request(call.url, {
          dispatcher: agent,
          method: call.method,
          headers: headersOf(call),
          body: call.body,
          signal: AbortSignal.timeout(totalMs),
        })
        body.dump({ limit: replyLimit, signal: AbortSignal.timeout(drainMs) }).catch(() => {})
        const retryAfter = headers['retry-after']
        return {
          kind: 'answered',
          status: statusCode,
          retryAfter: Array.isArray(retryAfter) ? retryAfter[0] : retryAfter,
        }
      } catch (error) {
        return { kind: 'unanswered', ...explain(error as NodeJS.ErrnoException, totalMs) }
      }
    },

    close: () => agent.destroy(),
  }
}

/** Ours come last and can be set by nobody else. */
function headersOf(call: HookCall): string[] {
  const at = new Date()
  const signatures = call.secrets.map((secret) => new Webhook(secret).sign(call.eventId, at, call.body))
  const own = Object.entries(call.headers)
  const named = own.some(([name]) => name.toLowerCase() === 'user-agent')
  const ours = {
    ...(named ? {} : { 'user-agent': 'Longshore-Webhooks/1' }),
    'content-type': 'application/json; charset=utf-8',
    'webhook-id': call.eventId,
    'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
    'webhook-signature': signatures.join(' '),
  }
  return [...own, ...Object.entries(ours)].flat()
}

function explain(error: NodeJS.ErrnoException, totalMs: number): { reason: string; hung: boolean } {
  if (error.name === 'TimeoutError') return { reason: `No answer within ${totalMs / 1000} seconds.`, hung: true }
  if (error instanceof errors.ConnectTimeoutError) return { reason: 'No connection in time.', hung: true }
  if (error instanceof ForbiddenAddress) return { reason: `Not sent: ${error.message}.`, hung: false }
  return { reason: `No answer: the connection failed (${error.code ?? error.name}).`, hung: false }
}
