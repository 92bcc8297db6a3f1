import type { CallInput } from '@longshore/client/client'
import type { Endpoint, ReplyOf } from '@longshore/contract/endpoint'
import { type LoadClient, type LoadReply, loadClient } from './http-load.ts'

export type CredentialHeader = { readonly 'x-api-key': string } | { readonly 'x-package-token': string }

/** Calls of the contract over a load client. A call that is refused ends the benchmark: its figure would be a lie. */
export interface ApiLoad {
  call<E extends Endpoint>(endpoint: E, input: CallInput<E>, credential: CredentialHeader): Promise<ReplyOf<E>>
  /** The same without reading the reply. */
  drop<E extends Endpoint>(endpoint: E, input: CallInput<E>, credential: CredentialHeader): Promise<LoadReply>
  close(): void
}

interface AnyInput {
  readonly params?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, string | number>>
  readonly body?: unknown
}

export function apiLoad(url: string, connections: number): ApiLoad {
  const http: LoadClient = loadClient(url, connections)

  async function send(endpoint: Endpoint, input: AnyInput, credential: CredentialHeader, discard: boolean) {
    const body = input.body === undefined ? undefined : JSON.stringify(input.body)
    const reply = await http.send({
      method: endpoint.method,
      path: pathOf(endpoint, input),
      headers: body === undefined ? credential : { ...credential, 'content-type': 'application/json' },
      discard,
      ...(body === undefined ? {} : { body }),
    })
    if (reply.status !== endpoint.status) {
      throw new Error(`${endpoint.method} ${endpoint.path} answered ${reply.status}: ${reply.text.slice(0, 500)}`)
    }
    return reply
  }

  return {
    close: http.close,
    async call<E extends Endpoint>(endpoint: E, input: CallInput<E>, credential: CredentialHeader) {
      const { text } = await send(endpoint, input, credential, false)
      return (text === '' ? undefined : JSON.parse(text)) as ReplyOf<E>
    },
    drop: (endpoint, input, credential) => send(endpoint, input, credential, true),
  }
}

function pathOf(endpoint: Endpoint, { params = {}, query = {} }: AnyInput): string {
  const path = endpoint.path.replaceAll(/:(\w+)/g, (_, name: string) => params[name] ?? '')
  const search = Object.entries(query).map(([name, value]) => `${name}=${value}`)
  return search.length === 0 ? path : `${path}?${search.join('&')}`
}
