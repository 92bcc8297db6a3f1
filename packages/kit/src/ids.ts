import { randomBytes } from 'node:crypto'
import { v7 } from 'uuid'

/** A new identifier: UUIDv7, so that rows made together lie together. */
export const newId = (): string => v7()

/** A random secret of at least 128 bits, safe in addresses and headers. */
export const newSecret = (bytes = 16): string => randomBytes(bytes).toString('base64url')
