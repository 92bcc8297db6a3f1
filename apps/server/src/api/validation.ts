import type { Endpoint } from '@longshore/contract/endpoint'
import { type TSchema, Type } from 'typebox'
import { Compile } from 'typebox/compile'
import { Value } from 'typebox/value'
import { Refusal } from '#domain/refusal'

type Part = 'params' | 'query' | 'body'

/** Checks one part of a request. Query and path come as text and are converted; a body is taken as it is. */
export function validator(schema: TSchema, part: Part): (value: unknown) => unknown {
  const check = Compile(schema)
  const lists = part === 'query' ? listNames(schema) : []
  return (given) => {
    const value = part === 'body' ? given : Value.Convert(schema, splitLists(given, lists))
    if (check.Check(value)) return value
    const details = check
      .Errors(value)
      .slice(0, 20)
      .map((error) => ({ field: fieldName(part, error), reason: error.message }))
    const first = details[0]
    throw new Refusal('validation_failed', `${first?.field}: ${first?.reason}`, { details })
  }
}

export function validators(endpoint: Endpoint) {
  const make = (part: Part) => {
    const schema = endpoint[part]
    return schema === undefined ? undefined : validator(schema, part)
  }
  const body = make('body')
  return {
    params: make('params'),
    query: make('query'),
    body: endpoint.bodyOptional === true && body !== undefined ? (given: unknown) => body(given ?? {}) : body,
  }
}

function fieldName(part: Part, error: { instancePath: string; params: object }): string {
  const missing = (error.params as { requiredProperties?: readonly string[] }).requiredProperties?.[0]
  const path = [error.instancePath.slice(1), missing].filter((piece) => piece !== undefined && piece !== '').join('/')
  return path === '' ? part : path
}

const listNames = (schema: TSchema): readonly string[] =>
  Type.IsObject(schema)
    ? Object.entries(schema.properties)
        .filter(([, property]) => Type.IsArray(property))
        .map(([name]) => name)
    : []

/** A list in a query is `a=1,2` or `a=1&a=2`. */
function splitLists(given: unknown, lists: readonly string[]): unknown {
  if (lists.length === 0) return given
  const query: Record<string, unknown> = { ...(given as Record<string, unknown>) }
  for (const name of lists) {
    const value = query[name]
    if (value === undefined) continue
    query[name] = [value]
      .flat()
      .flatMap((item) => (typeof item === 'string' ? item.split(',') : [item]))
      .filter((item) => item !== '')
  }
  return query
}
