import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import type { Endpoint } from '@longshore/contract/endpoint'
import { languages } from './languages.ts'

const console = new URL('../console/', import.meta.url)
const imported = /import \{([^}]+)\} from '(@longshore\/contract\/cloud\/[\w-]+)'/g

/** Every call that a page of the console makes with a body. */
async function callsWithBody(): Promise<readonly Endpoint[]> {
  const calls = new Set<Endpoint>()
  for (const file of globSync('**/*.{ts,tsx}', { cwd: console })) {
    for (const [, names = '', module = ''] of readFileSync(new URL(file, console), 'utf8').matchAll(imported)) {
      const contract = (await import(module)) as Record<string, Partial<Endpoint>>
      for (const name of names.split(',').map((one) => one.trim())) {
        if (contract[name]?.body !== undefined) calls.add(contract[name] as Endpoint)
      }
    }
  }
  return [...calls]
}

/** Nobody types them: the pages fill them in, offer them to choose from, or leave them out. */
const untyped = new Set([
  'authorization.session_token',
  'chunk_size',
  'fields.position',
  'paths',
  'provider',
  'tag.id',
  'token',
])

interface Schema {
  readonly type?: string
  readonly format?: string
  readonly properties?: Readonly<Record<string, Schema>>
  readonly items?: Schema
}

/** Names of the fields that somebody types into: what is only switched or chosen cannot be wrong. */
function* typedFields({ type, format, properties, items }: Schema, place = ''): Generator<string> {
  if (properties !== undefined) {
    for (const [name, inside] of Object.entries(properties)) {
      yield* typedFields(inside, place === '' ? name : `${place}.${name}`)
    }
  } else if (items !== undefined) yield* typedFields(items, place)
  else if ((type === 'string' && format !== 'uuid') || type === 'integer' || type === 'object') yield place
}

for (const language of languages) {
  test(`the console has words in ${language} for whatever may be wrong in its forms`, async () => {
    const texts = JSON.parse(readFileSync(new URL(`./${language}/console.json`, import.meta.url), 'utf8')) as object
    const calls = await callsWithBody()
    assert.ok(calls.length > 20, `only ${calls.length} calls were found`)
    const fields = new Set(calls.flatMap(({ body }) => [...typedFields(body as Schema)]))
    assert.deepEqual(
      [...fields].filter((field) => !untyped.has(field) && !(`rule.${field}` in texts)),
      [],
    )
  })
}
