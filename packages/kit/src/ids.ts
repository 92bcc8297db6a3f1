import { randomBytes } from 'node:crypto'
import { v5, v7, validate } from 'uuid'

/** A new identifier: UUIDv7, so that rows made together lie together. */
export const newId = (): string => v7()

/** Whether a text could be one of our identifiers: PostgreSQL refuses to compare an id with anything else. */
export const isId = (text: string): boolean => validate(text)

/** A random secret of at least 128 bits, safe in addresses and headers. */
export const newSecret = (bytes = 16): string => randomBytes(bytes).toString('base64url')

/** An identifier that follows from another one and a name: the same each time, and nobody else's. */
export const derivedId = (from: string, name: string): string => v5(name, from)
