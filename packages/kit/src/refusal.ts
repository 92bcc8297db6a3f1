import { adviceOf, type Detail, type ErrorName } from '@longshore/contract/errors'

/** An answer of "no" that we expect: a name from the contract and a sentence that tells the reader what to do. */
export class Refusal extends Error {
  readonly code: ErrorName
  readonly details: readonly Detail[] | undefined
  readonly retryAfterSeconds: number | undefined

  constructor(
    code: ErrorName,
    message: string = adviceOf(code),
    more: { details?: readonly Detail[]; retryAfterSeconds?: number; cause?: unknown } = {},
  ) {
    super(message, { cause: more.cause })
    this.name = 'Refusal'
    this.code = code
    this.details = more.details
    this.retryAfterSeconds = more.retryAfterSeconds
  }
}

/** A field that the schema takes and the rules do not. */
export const invalid = (field: string, reason: string): Refusal =>
  new Refusal('validation_failed', `${field}: ${reason}`, { details: [{ field, reason }] })
