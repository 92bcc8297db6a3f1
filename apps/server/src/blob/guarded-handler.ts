import { Readable } from 'node:stream'
import type { S3ClientConfig } from '@aws-sdk/client-s3'
import { type Dispatcher, request } from 'undici'
import { encode } from '#blob/sigv4'

// What a store says about itself is XML of a few hundred KiB at most. Whoever sends more does not mean us well.
const longestReply = 8 * 1024 * 1024

type Handler = NonNullable<S3ClientConfig['requestHandler']>
type Handle = Extract<Handler, { handle: unknown }>['handle']
type Asked = Parameters<Handle>[0]

/**
 * Lets the S3 library talk through a connector that is lent. Addresses of other people's stores were chosen by
 * strangers: the connector decides where we go, and a redirect is an answer like any other.
 */
export function guardedHandler(dispatcher: Dispatcher): Handler {
  return {
    metadata: { handlerProtocol: 'http/1.1' },
    async handle(asked: Asked, { abortSignal }: { abortSignal?: AbortSignal } = {}) {
      // The header that asks whether to go on is not one that this client knows, and nothing here needs it.
      const headers = Object.entries(asked.headers as Record<string, string>)
        .filter(([name]) => name.toLowerCase() !== 'expect')
        .flat()
      const answer = await request(addressOf(asked), {
        dispatcher,
        method: asked.method as Dispatcher.HttpMethod,
        headers,
        body: (asked.body as Uint8Array | Readable | undefined) ?? null,
        ...(abortSignal === undefined ? {} : { signal: abortSignal }),
      })
      const bounded = asked.query['x-id'] === 'GetObject' ? answer.body : Readable.from(noLongerThanSane(answer.body))
      return { response: { statusCode: answer.statusCode, headers: flat(answer.headers), body: bounded } }
    },
    updateHttpClientConfig: () => {},
    httpHandlerConfigs: () => ({}),
  }
}

function addressOf({ protocol, hostname, port, path, query }: Asked): string {
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    (Array.isArray(value) ? value : [value]).map((one) => `${encode(name)}=${encode(one ?? '')}`),
  )
  const authority = port === undefined ? hostname : `${hostname}:${port}`
  return `${protocol}//${authority}${path}${pairs.length === 0 ? '' : `?${pairs.join('&')}`}`
}

const flat = (headers: Readonly<Record<string, string | string[] | undefined>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, Array.isArray(value) ? value.join(', ') : value]],
    ),
  )

async function* noLongerThanSane(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let length = 0
  for await (const piece of body) {
    length += piece.length
    if (length > longestReply) throw new Error('the answer is too long for one of a store')
    yield piece
  }
}
