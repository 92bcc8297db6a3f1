import type { FastifyBodyParser, FastifyInstance } from 'fastify'
import { Refusal } from '#domain/refusal'

// Half a character, or the NUL that PostgreSQL refuses, can only come in by an escape.
const brokenCharacter = /\\u(?:d[89a-f]|0000)/i

/** Parses JSON bodies. An empty one is none: several calls of the spec carry the header without a body. */
export function jsonBody(app: FastifyInstance): FastifyBodyParser<string> {
  const parse = app.getDefaultJsonParser('remove', 'remove')
  return (request, text, done) => {
    if (text === '') return done(null, undefined)
    return parse(request, text, (error, body) => {
      // JSON.stringify writes whole characters as they are and escapes halves and NUL.
      const broken = error === null && text.includes('\\u') && brokenCharacter.test(JSON.stringify(body))
      if (broken) done(new Refusal('malformed_request', 'The body holds NUL or half a Unicode character.'))
      else done(error, body)
    })
  }
}
