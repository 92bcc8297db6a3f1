import { cloudEndpoints } from '@longshore/contract/cloud/endpoints'
import type { Endpoint } from '@longshore/contract/endpoint'
import { noteServed } from '#record'
import { target } from '#target'

const names = new Map<Endpoint, string>(Object.entries(cloudEndpoints).map(([name, endpoint]) => [endpoint, name]))

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

export async function openApi(): Promise<OpenApi> {
  const reply = await fetch(`${target.cloud_url}/openapi.json`)
  return (await reply.json()) as OpenApi
}

/** The endpoints that the server says it serves, by name. */
export async function servedEndpoints(): Promise<ReadonlyMap<string, Endpoint>> {
  const { paths } = await openApi()
  const served = Object.entries(cloudEndpoints).filter(
    ([, { method, path }]) => paths[path.replaceAll(/:(\w+)/g, '{$1}')]?.[method.toLowerCase()] !== undefined,
  )
  noteServed(served.map(([name]) => name))
  return new Map(served)
}
