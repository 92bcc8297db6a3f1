import { type LoadReply, loadClient, type RepeatedBody } from './http-load.ts'

interface Blueprint {
  readonly url: string
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
}

/** Sends signed requests to the store: the bytes go there and not through the API. */
export interface StoreLoad {
  send(blueprint: Blueprint, body?: RepeatedBody): Promise<LoadReply>
  /** Stores a body and answers its ETag. */
  put(blueprint: Blueprint, body: RepeatedBody): Promise<string>
  close(): void
}

export function storeLoad(endpoint: string, connections: number): StoreLoad {
  const http = loadClient(endpoint, connections)
  const { origin } = new URL(endpoint)

  async function send({ url, method, headers }: Blueprint, body: RepeatedBody = nothing): Promise<LoadReply> {
    if (!url.startsWith(`${origin}/`)) throw new Error(`A blueprint leads elsewhere than to ${origin}.`)
    const reply = await http.send({ method, path: url.slice(origin.length), headers, body })
    if (reply.status !== 200) throw new Error(`The store answered ${reply.status}: ${reply.text.slice(0, 500)}`)
    return reply
  }

  return {
    send,
    close: http.close,
    async put(blueprint, body) {
      const { headers } = await send(blueprint, body)
      if (headers.etag === undefined) throw new Error('The store answered without an ETag.')
      return headers.etag
    },
  }
}

const nothing: RepeatedBody = { piece: Buffer.alloc(0), length: 0 }
