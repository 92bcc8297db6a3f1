import type { Endpoint, InputOf, ReplyOf } from '@longshore/contract/endpoint'
import type { Detail } from '@longshore/contract/errors'

/** Who is calling. One credential a call; the API refuses two that contradict each other. */
export type CallerCredential =
  | { readonly apiKey: string }
  | { readonly userToken: string }
  | { readonly packageToken: string }
  | { readonly transferToken: string }
  | { readonly accessCode: string }
  | { readonly linkPassword: string }
  /** Of a local agent that was started with a token file. */
  | { readonly agentToken: string }

export interface ClientOptions {
  /** Where the API is, with or without a path: `https://transfer.example.com`. */
  readonly baseUrl: string
  readonly fetch?: typeof fetch
  /** Used by every call that names no other. */
  readonly credential?: CallerCredential
}

export interface CallOptions {
  /** In place of the client's own. `undefined` sends none. */
  readonly credential?: CallerCredential | undefined
  readonly signal?: AbortSignal
  /** The same key and body answer the first reply again, so that a create call can be repeated without harm. */
  readonly idempotencyKey?: string
}

// A part that may be left empty may be left out: nobody should have to write `query: {}`.
type Lenient<Input> = {
  readonly [K in keyof Input as object extends Input[K] ? never : undefined extends Input[K] ? never : K]: Input[K]
} & {
  readonly [K in keyof Input as object extends Input[K] ? K : undefined extends Input[K] ? K : never]?: Input[K]
}

/** What a call is given: the parts its endpoint declares. */
export type CallInput<E extends Endpoint> = Lenient<InputOf<E>>

type CallArguments<E extends Endpoint> =
  object extends CallInput<E>
    ? [input?: CallInput<E>, options?: CallOptions]
    : [input: CallInput<E>, options?: CallOptions]

export interface Client {
  /** Calls an endpoint and answers its reply. Throws `ApiError` when the call is refused. Never tries twice. */
  readonly call: <E extends Endpoint>(endpoint: E, ...rest: CallArguments<E>) => Promise<ReplyOf<E>>
  /** The same call, but the reply as it came: for streams, and for tests that look at refusals. */
  readonly raw: <E extends Endpoint>(endpoint: E, ...rest: CallArguments<E>) => Promise<Response>
}

interface Refused {
  readonly status: number
  readonly code: number
  readonly error: string
  readonly message: string
  readonly details: readonly Detail[]
  readonly requestId: string | undefined
  readonly retryAfter: number | undefined
}

/** A call that the API refused. */
export class ApiError extends Error {
  override readonly name = 'ApiError'
  readonly status: number
  /** The number of the error; 0 where the answer did not come from the API itself, but from a proxy before it. */
  readonly code: number
  /** The stable name of the error, or `http_<status>` where the answer had none. */
  readonly error: string
  readonly details: readonly Detail[]
  readonly requestId: string | undefined
  /** Seconds. */
  readonly retryAfter: number | undefined

  constructor(refused: Refused) {
    super(refused.message)
    this.status = refused.status
    this.code = refused.code
    this.error = refused.error
    this.details = refused.details
    this.requestId = refused.requestId
    this.retryAfter = refused.retryAfter
  }
}

export function createClient(options: ClientOptions): Client {
  const base = options.baseUrl.replace(/\/+$/, '')
  // Looked up at each call, so that a fetch replaced later is the one used; never called as a method, which browsers refuse.
  const send: typeof fetch = (input, init) => (options.fetch ?? globalThis.fetch)(input, init)

  const raw = (endpoint: Endpoint, input: AnyInput = {}, call: CallOptions = {}): Promise<Response> => {
    const credential = 'credential' in call ? call.credential : options.credential
    const body = bodyOf(endpoint, input)
    const headers: Record<string, string> = {
      accept: endpoint.replyType ?? 'application/json',
      ...(credential === undefined ? {} : headerOf(credential)),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(call.idempotencyKey === undefined ? {} : { 'idempotency-key': call.idempotencyKey }),
    }
    return send(base + pathOf(endpoint, input.params ?? {}) + queryOf(input.query ?? {}), {
      method: endpoint.method,
      headers,
      // The API never redirects, and a redirect would carry the credential to wherever it points.
      redirect: 'error',
      ...(body === undefined ? {} : { body }),
      ...(call.signal === undefined ? {} : { signal: call.signal }),
    })
  }

  const call = async (endpoint: Endpoint, input?: AnyInput, options?: CallOptions): Promise<unknown> => {
    const response = await raw(endpoint, input, options)
    if (!response.ok) throw await refusal(response)
    if (endpoint.reply === undefined) {
      // An unread body would hold its connection.
      await response.body?.cancel()
      return undefined
    }
    return response.json()
  }

  return { call, raw } as Client
}

type Plain = string | number | boolean
type Params = Readonly<Record<string, Plain>>
type Query = Readonly<Record<string, Plain | readonly Plain[] | undefined>>

interface AnyInput {
  readonly params?: Params
  readonly query?: Query
  readonly body?: unknown
}

function pathOf(endpoint: Endpoint, params: Params): string {
  return endpoint.path.replaceAll(/:(\w+)/g, (_, name: string) => {
    const value = String(params[name] ?? '')
    // An empty part would make it the path of another endpoint, and `.` or `..` are resolved away even when encoded.
    if (value === '' || value === '.' || value === '..') {
      throw new TypeError(`'${value}' cannot be ${name} of ${endpoint.method} ${endpoint.path}.`)
    }
    return encodeURIComponent(value)
  })
}

function queryOf(query: Query): string {
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined) continue
    for (const one of typeof value === 'object' ? value : [value]) search.append(name, String(one))
  }
  return search.size === 0 ? '' : `?${search}`
}

function bodyOf(endpoint: Endpoint, input: AnyInput): string | undefined {
  if (endpoint.body === undefined) return undefined
  if (input.body === undefined) return endpoint.bodyOptional === true ? undefined : '{}'
  return JSON.stringify(input.body)
}

function headerOf(credential: CallerCredential): Record<string, string> {
  if ('apiKey' in credential) return { 'x-api-key': credential.apiKey }
  if ('userToken' in credential) return { 'x-user-token': credential.userToken }
  if ('packageToken' in credential) return { 'x-package-token': credential.packageToken }
  if ('transferToken' in credential) return { 'x-transfer-token': credential.transferToken }
  if ('agentToken' in credential) return { authorization: `Bearer ${credential.agentToken}` }
  // People choose these two in any script; a header carries ASCII only.
  if ('accessCode' in credential) return { 'x-access-code': encodeURIComponent(credential.accessCode) }
  return { 'x-link-password': encodeURIComponent(credential.linkPassword) }
}

async function refusal(response: Response): Promise<ApiError> {
  const text = await response.text()
  const body = errorBody(text)
  return new ApiError({
    status: response.status,
    code: body.code ?? 0,
    error: body.error ?? `http_${response.status}`,
    message: body.message ?? `The server answered ${response.status}.`,
    details: body.details ?? [],
    requestId: body.request_id ?? response.headers.get('x-request-id') ?? undefined,
    retryAfter: secondsUntil(response.headers.get('retry-after')),
  })
}

interface ErrorBody {
  readonly code?: number
  readonly error?: string
  readonly message?: string
  readonly details?: readonly Detail[]
  readonly request_id?: string
}

/** The body of a refusal; nothing where a proxy answered in its own words. */
function errorBody(text: string): ErrorBody {
  try {
    const body: unknown = JSON.parse(text)
    return typeof body === 'object' && body !== null ? body : {}
  } catch {
    return {}
  }
}

/** `Retry-After` is a number of seconds or a date. */
function secondsUntil(header: string | null): number | undefined {
  if (header === null) return undefined
  if (/^\d+$/.test(header)) return Number(header)
  const at = Date.parse(header)
  return Number.isNaN(at) ? undefined : Math.max(0, Math.ceil((at - Date.now()) / 1_000))
}
