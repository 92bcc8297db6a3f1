import { agentEndpoints } from '@longshore/contract/agent/endpoints'
import { cloudEndpoints } from '@longshore/contract/cloud/endpoints'
import type { Endpoint } from '@longshore/contract/endpoint'
import { allEndpoints } from '#all-endpoints'
import { noteServed } from '#record'
import { target } from '#target'

const names = new Map<Endpoint, string>(allEndpoints.map(([name, endpoint]) => [endpoint, name]))

export function nameOf(endpoint: Endpoint): string {
  const name = names.get(endpoint)
  if (name === undefined) throw new Error(`${endpoint.method} ${endpoint.path} is not in the contract.`)
  return name
}

export interface OpenApi {
  readonly openapi: string
  readonly info: Readonly<Record<string, unknown>>
  readonly servers: readonly { readonly url: string }[]
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: {
    readonly securitySchemes: Readonly<Record<string, { in: string; name: string; type: string }>>
  }
}

export interface Operation {
  readonly operationId: string
  readonly summary: string
  readonly tags: readonly string[]
  readonly security?: readonly Readonly<Record<string, readonly string[]>>[]
  readonly parameters?: readonly { readonly name: string; readonly in: string; readonly required?: boolean }[]
  readonly requestBody?: { readonly content: Readonly<Record<string, unknown>> }
  readonly responses: Readonly<Record<string, { readonly description: string }>>
}

export async function openApi(url = `${target.cloud_url}/openapi.json`): Promise<OpenApi> {
  const reply = await fetch(url)
  return (await reply.json()) as OpenApi
}

/** The endpoints that the server says it serves, by name. */
export async function servedEndpoints(): Promise<ReadonlyMap<string, Endpoint>> {
  return served(await openApi(), Object.entries(cloudEndpoints))
}

/** The endpoints that an agent says it serves, by name. */
export async function servedByAgent(agentUrl: string): Promise<ReadonlyMap<string, Endpoint>> {
  return served(await openApi(`${agentUrl}/api/v1/openapi.json`), Object.entries(agentEndpoints))
}

function served({ paths }: OpenApi, declared: readonly [string, Endpoint][]): ReadonlyMap<string, Endpoint> {
  const found = declared.filter(
    ([, { method, path }]) => paths[path.replaceAll(/:(\w+)/g, '{$1}')]?.[method.toLowerCase()] !== undefined,
  )
  noteServed(found.map(([name]) => name))
  return new Map(found)
}
