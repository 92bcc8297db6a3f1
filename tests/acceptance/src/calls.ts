import assert from 'node:assert/strict'
import { type CallerCredential, type CallInput, createClient } from '@longshore/client/client'
import { type Endpoint, refusalsOf, type ReplyOf } from '@longshore/contract/endpoint'
import { codeOf, type Detail, type ErrorName, statusOf } from '@longshore/contract/errors'
import { nameOf } from '#endpoints'
import { type Answer, type Header, isStream, send, type Sending } from '#http'
import { noteSecret, noteSecretsIn, noteShown } from '#record'
import { complaints } from '#reply-schema'
import { target } from '#target'

export interface How {
  readonly as?: CallerCredential
  readonly idempotencyKey?: string
  /** Further headers, sent as they are; one of the same name is replaced. */
  readonly headers?: readonly Header[]
  /** The body as it goes over the wire, in place of the input's. */
  readonly text?: Sending['body']
  readonly from?: string
  /** Another server than the target. */
  readonly at?: string
}

/** Parts of a request, also of one that the contract would not allow. */
export interface AnyInput {
  readonly params?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, unknown>>
  readonly body?: unknown
}

export interface ErrorBody {
  readonly code: number
  readonly error: ErrorName
  readonly message: string
  readonly details?: readonly Detail[]
  readonly request_id: string
}

/** One call of an endpoint, whatever comes of it. Holds every reply to the rules that all replies follow. */
export async function ask(endpoint: Endpoint, input: AnyInput, how: How = {}): Promise<Answer> {
  let answer: Answer | undefined
  const viaHttp: typeof fetch = async (url, init) => {
    const own = Object.entries((init?.headers ?? {}) as Record<string, string>)
    const given = how.headers ?? []
    const kept = own.filter(([name]) => !given.some(([other]) => other.toLowerCase() === name))
    const body = how.text ?? (init?.body as string | undefined)
    answer = await send({
      method: init?.method ?? 'GET',
      url: url as string,
      headers: [...kept, ...given],
      ...(body === undefined ? {} : { body }),
      ...(how.from === undefined ? {} : { from: how.from }),
    })
    return new Response(answer.body.length === 0 ? null : new Uint8Array(answer.body), { status: answer.status })
  }
  noteSecretsIn(input.body)
  const shown = [...Object.values(how.as ?? {}), ...(how.headers ?? []).filter(isCredential).map(([, value]) => value)]
  for (const secret of shown) noteSecret(secret)
  const client = createClient({ baseUrl: how.at ?? target.cloud_url, fetch: viaHttp })
  await client.raw(endpoint, input, {
    credential: how.as,
    ...(how.idempotencyKey === undefined ? {} : { idempotencyKey: how.idempotencyKey }),
  })
  if (answer === undefined) throw new Error('The client sent nothing.')
  checkEveryReply(endpoint, answer)
  return answer
}

const isCredential = ([name]: Header) => /^x-(?:api-key|.*-token|link-password|access-code)$/i.test(name)

const isSuccess = (answer: Answer) => answer.status >= 200 && answer.status < 300

/** A call that prepares something. It must succeed. */
export async function use<E extends Endpoint>(endpoint: E, input: CallInput<E>, how: How = {}): Promise<ReplyOf<E>> {
  const answer = await ask(endpoint, input, how)
  assert.equal(answer.status, endpoint.status, `${nameOf(endpoint)}: ${answer.text.slice(0, 500)}`)
  return replyOf(endpoint, answer)
}

/** A call that the running test is about. It must succeed, and counts as shown. */
export async function show<E extends Endpoint>(endpoint: E, input: CallInput<E>, how: How = {}): Promise<ReplyOf<E>> {
  const reply = await use(endpoint, input, how)
  noteShown(nameOf(endpoint), 'success')
  return reply
}

/** A call that must be refused with this name and the status that belongs to it. It counts as shown. */
export async function refused(
  endpoint: Endpoint,
  input: AnyInput,
  how: How,
  name: ErrorName,
): Promise<ErrorBody & { readonly answer: Answer }> {
  const answer = await ask(endpoint, input, how)
  return { ...expectRefusal(endpoint, answer, name), answer }
}

export function expectRefusal(endpoint: Endpoint, answer: Answer, name: ErrorName): ErrorBody {
  const got = isSuccess(answer) ? `${answer.status}` : `${answer.status} ${errorOf(answer).error}`
  assert.equal(got, `${statusOf(name)} ${name}`, `${nameOf(endpoint)}: ${answer.text.slice(0, 500)}`)
  noteShown(nameOf(endpoint), name)
  return errorOf(answer)
}

export const errorOf = (answer: Answer): ErrorBody => JSON.parse(answer.text) as ErrorBody

export function replyOf<E extends Endpoint>(endpoint: E, answer: Answer): ReplyOf<E> {
  return (endpoint.reply === undefined ? undefined : JSON.parse(answer.text)) as ReplyOf<E>
}

function checkEveryReply(endpoint: Endpoint, answer: Answer): void {
  const where = `${nameOf(endpoint)} answered ${answer.status}`
  checkHeaders(answer, where)
  if (isSuccess(answer)) return checkSuccess(endpoint, answer, where)
  const body = checkErrorBody(answer, where)
  assert.ok(refusalsOf(endpoint).includes(body.error), `${where} ${body.error}, which the contract does not declare`)
}

export function checkHeaders(answer: Answer, where: string): void {
  assert.match(String(answer.headers['x-request-id']), /^[0-9a-f-]{36}$/, `${where} without a request id`)
  assert.equal(answer.headers['x-content-type-options'], 'nosniff', where)
  assert.equal(answer.headers['cache-control'], isStream(answer.headers) ? 'no-store, no-transform' : 'no-store', where)
  assert.equal(answer.headers['set-cookie'], undefined, where)
}

function checkSuccess(endpoint: Endpoint, answer: Answer, where: string): void {
  assert.equal(answer.status, endpoint.status, where)
  assert.equal(isStream(answer.headers), endpoint.replyType === 'text/event-stream', where)
  if (endpoint.reply === undefined) {
    assert.equal(answer.text, '', `${where} with a body`)
    return
  }
  assert.match(String(answer.headers['content-type']), /^application\/json; charset=utf-8$/, where)
  const reply: unknown = JSON.parse(answer.text)
  noteSecretsIn(reply)
  assert.deepEqual(complaints(endpoint, reply), [], `${where}, against its schema`)
}

// Words that only our insides would say.
const insides = /\bat .+:\d+:\d+|node_modules|\/apps\/server|select .+ from |syntax error|ECONN|pg_|postgres/i

export function checkErrorBody(answer: Answer, where: string): ErrorBody {
  assert.match(String(answer.headers['content-type']), /^application\/json; charset=utf-8$/, where)
  const body = errorOf(answer)
  const known = ['code', 'details', 'error', 'message', 'request_id']
  assert.deepEqual(
    Object.keys(body).filter((name) => !known.includes(name)),
    [],
    where,
  )
  assert.equal(answer.status, statusOf(body.error), where)
  assert.equal(body.code, codeOf(body.error), where)
  assert.equal(body.request_id, answer.headers['x-request-id'], where)
  assert.ok(body.message.length > 0, where)
  assert.equal(body.details !== undefined, answer.status === 422, `${where}: details are there on 422 alone`)
  assert.doesNotMatch(answer.text, insides, `${where} with words of its insides`)
  if (answer.status === 429 || answer.status === 503) {
    assert.match(String(answer.headers['retry-after']), /^[1-9]\d*$/, `${where} without Retry-After`)
  }
  return body
}
