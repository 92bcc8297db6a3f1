import type { Endpoint } from '@longshore/contract/endpoint'
import { type TSchema, Type } from 'typebox'
import { Compile, type Validator } from 'typebox/compile'

const compiled = new Map<TSchema, Validator>()

/** What a reply has against its schema, or nothing. A field that the contract does not know is a complaint too. */
export function complaints(endpoint: Endpoint, reply: unknown): readonly string[] {
  const schema = endpoint.reply
  if (schema === undefined) return []
  let check = compiled.get(schema)
  if (check === undefined) {
    check = Compile(schema)
    compiled.set(schema, check)
  }
  const wrong = check.Check(reply)
    ? []
    : check.Errors(reply).map((error) => `${error.instancePath || '/'} ${error.message}`)
  return [...wrong.slice(0, 10), ...new Set(unknownFields(schema, reply, ''))]
}

function unknownFields(schema: TSchema, value: unknown, path: string): string[] {
  if (Type.IsUnion(schema)) {
    const complaintsOf = schema.anyOf.map((member) => unknownFields(member, value, path))
    return complaintsOf.toSorted((a, b) => a.length - b.length)[0] ?? []
  }
  if (Type.IsArray(schema)) {
    return Array.isArray(value) ? value.flatMap((item) => unknownFields(schema.items, item, `${path}/*`)) : []
  }
  if (!Type.IsObject(schema) || typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, inner]) => {
    const known = schema.properties[name]
    return known === undefined
      ? [`${path}/${name} is not in the contract`]
      : unknownFields(known, inner, `${path}/${name}`)
  })
}
