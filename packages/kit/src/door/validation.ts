import type { Endpoint } from '@longshore/contract/endpoint'
import type { Detail } from '@longshore/contract/errors'
import { type TSchema, Type } from 'typebox'
import { Compile } from 'typebox/compile'
import { Refusal } from '#refusal'

type Part = 'params' | 'query' | 'body'

/** Checks one part of a request. A query comes as text and is read by its schema; a body is taken as it is. */
export function validator(schema: TSchema, part: Part): (value: unknown) => unknown {
  const check = Compile(schema)
  const readers = part === 'query' && Type.IsObject(schema) ? queryReaders(schema.properties) : undefined
  return (given) => {
    const value = readers === undefined ? given : readQuery(given as Readonly<Record<string, unknown>>, readers)
    if (check.Check(value)) return value
    const details = withWords(check.Errors(value))
      .flatMap((error) => complaints(part, error))
      .slice(0, 20)
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
    body:
      endpoint.bodyOptional === true && body !== undefined
        ? (given: unknown) => body(given === undefined ? {} : given)
        : body,
  }
}

interface SchemaError {
  readonly keyword: string
  readonly instancePath: string
  readonly params: object
  readonly message: string
}

/** A word that is none of those allowed is refused by each of them. Told once, with all of them. */
function withWords(errors: readonly SchemaError[]): readonly SchemaError[] {
  const words = Map.groupBy(
    errors.filter(({ keyword }) => keyword === 'const'),
    ({ instancePath }) => instancePath,
  )
  return errors.flatMap((error) => {
    const allowed = words.get(error.instancePath)
    if (allowed === undefined || (error.keyword !== 'const' && error.keyword !== 'anyOf')) return [error]
    const names = allowed.map(({ params }) => (params as { allowedValue: unknown }).allowedValue)
    return error === allowed[0] ? [{ ...error, message: `must be ${names.join(' or ')}` }] : []
  })
}

/** What one error of the schema has against the request, by the names of the fields. */
function complaints(part: Part, { instancePath, params, message }: SchemaError): readonly Detail[] {
  const place = instancePath.slice(1)
  const missing = (params as { requiredProperties?: readonly string[] }).requiredProperties
  if (missing === undefined) return [{ field: place === '' ? part : place, reason: message }]
  return missing.map((name) => ({ field: place === '' ? name : `${place}/${name}`, reason: 'required' }))
}

type Reader = (value: unknown) => unknown

const integer = /^-?(?:0|[1-9]\d{0,15})$/
const booleans: Readonly<Record<string, boolean>> = { '1': true, true: true, '0': false, false: false }

/** How the text of each query parameter is read. What does not read well stays text, and the schema refuses it. */
const queryReaders = (properties: Readonly<Record<string, TSchema>>): ReadonlyMap<string, Reader> =>
  new Map(Object.entries(properties).map(([name, schema]) => [name, readerOf(schema)]))

function readerOf(schema: TSchema): Reader {
  // A list is `a=1,2` or `a=1&a=2`.
  if (Type.IsArray(schema))
    return (value) =>
      [value]
        .flat()
        .flatMap((item) => String(item).split(','))
        .filter(Boolean)
  if (Type.IsInteger(schema)) {
    return (value) => (typeof value === 'string' && integer.test(value) ? Number(value) : value)
  }
  if (Type.IsBoolean(schema)) return (value) => (typeof value === 'string' ? (booleans[value] ?? value) : value)
  return (value) => value
}

const readQuery = (given: Readonly<Record<string, unknown>>, readers: ReadonlyMap<string, Reader>) =>
  Object.fromEntries(Object.entries(given).map(([name, value]) => [name, readers.get(name)?.(value) ?? value]))
