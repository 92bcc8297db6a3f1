import { type TSchema, Type } from 'typebox'

/** Schemas that many endpoints share. Every string has a bound. */

// No control characters anywhere: PostgreSQL refuses NUL, and the rest only serve to deceive terminals, logs and mail.
const printable = '^[^\\u0000-\\u0008\\u000b\\u000c\\u000e-\\u001f\\u007f]*$'
const oneLine = '^[^\\u0000-\\u001f\\u007f]*$'

export const Id = Type.String({ format: 'uuid', description: 'UUID in canonical text.' })

/** A single line of text. */
export const Line = (maxLength: number, options: { minLength?: number; description?: string } = {}) =>
  Type.String({ maxLength, pattern: oneLine, ...options })

/** Text that may have line breaks. */
export const Text = (maxLength: number, options: { description?: string } = {}) =>
  Type.String({ maxLength, pattern: printable, ...options })

/** A date-time with a zone. What we send is always UTC with milliseconds. */
export const Time = Type.String({
  format: 'date-time',
  maxLength: 40,
  description: 'ISO 8601 with a zone; we answer in UTC with milliseconds.',
})

// Strict on purpose: one plain address, no comments, quoted parts, groups or lists.
export const Email = Type.String({
  maxLength: 254,
  pattern:
    "^[A-Za-z0-9!#$%&'*+/=?^_`{|}~](?:[A-Za-z0-9!#$%&'*+/=?^_`{|}~.-]{0,62}[A-Za-z0-9!#$%&'*+/=?^_`{|}~-])?@[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?(?:\\.[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?)*$",
  description: 'One plain email address.',
})

export const Secret = Type.String({ maxLength: 72, pattern: oneLine })

export const Bytes = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description: 'Bytes.' })

export const Count = Type.Integer({ minimum: 0, maximum: 2_147_483_647 })

/** A string limited to the given words. */
export const Word = <const T extends readonly string[]>(words: T, options: { description?: string } = {}) =>
  Type.Unsafe<T[number]>(
    Type.Union(
      words.map((word) => Type.Literal(word)),
      options,
    ),
  )

/** Booleans in a query come as 1/0 or true/false. */
export const QueryBoolean = Type.Boolean({ description: '`1`/`0` or `true`/`false`.' })

/** An array in a query comes as `a=1,2` or as `a=1&a=2`. */
export const QueryList = <T extends TSchema>(item: T, maxItems = 50) => Type.Array(item, { maxItems })

export const TagObject = Type.Object(
  { id: Type.Optional(Type.String({ maxLength: 64 })), name: Type.Optional(Line(100)) },
  { description: 'A tag by id, or by name; a name that the Team does not have yet is created.' },
)

export const AppliedTag = Type.Object({ id: Id, name: Type.String() })

export const Page = <T extends TSchema>(record: T) =>
  Type.Object({ metadata: Type.Object({ total: Count }), records: Type.Array(record) })

/** A download link as the managers of its package see it. */
export const Link = Type.Object({
  id: Id,
  email: Type.String(),
  expiry: Time,
  access_limit: Count,
  access_limit_enabled: Type.Boolean(),
  access_count: Count,
  last_access_at: Time,
  active: Type.Boolean(),
  locked: Type.Boolean(),
  password: Type.String({ description: '`****` when the link has one, otherwise empty.' }),
  package_id: Id,
  created_at: Time,
})
