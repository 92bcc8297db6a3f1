import type { FastifyInstance } from 'fastify'
import { Refusal } from '#refusal'

// Deep enough for anything that the contract knows; what is deeper is only meant to overflow a stack.
const deepest = 32

const malformed = (why: string, cause?: unknown) => new Refusal('malformed_request', why, { cause })

/** Takes JSON bodies and no others. An empty one is none: several calls of the spec carry the header without a body. */
export function acceptJson(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser('remove', 'remove')
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, bytes: Buffer, done) => {
    if (bytes.length === 0) return done(null, undefined)
    try {
      const text = decoded(bytes)
      refuseDepth(text)
      return parse(request, text, (error, body) => {
        if (error === null && text.includes('\\u') && holdsBrokenText(body)) {
          done(malformed('The body holds NUL or half a Unicode character.'))
        } else {
          done(error, body)
        }
      })
    } catch (error) {
      return done(error as Error)
    }
  })
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, bytes: Buffer, done) => {
    if (bytes.length === 0) done(null, undefined)
    else done(new Refusal('unsupported_media_type'))
  })
}

function decoded(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch (cause) {
    throw malformed('The body is not valid UTF-8.', cause)
  }
}

/** Looks at the text, before anything is built from it. */
function refuseDepth(text: string): void {
  let depth = 0
  let quoted = false
  for (let index = 0; index < text.length; index++) {
    const character = text.charCodeAt(index)
    if (quoted) {
      if (character === 0x5c) index++
      else if (character === 0x22) quoted = false
    } else if (character === 0x22) quoted = true
    else if (character === 0x7b || character === 0x5b) {
      if (++depth > deepest) throw malformed(`The body is nested more than ${deepest} levels deep.`)
    } else if (character === 0x7d || character === 0x5d) depth--
  }
}

/** NUL, which PostgreSQL refuses, and half characters, which nobody can write: both come in by an escape only. */
function holdsBrokenText(value: unknown): boolean {
  if (typeof value === 'string') return value.includes('\0') || !value.isWellFormed()
  if (typeof value !== 'object' || value === null) return false
  return Object.entries(value).some(([name, inner]) => holdsBrokenText(name) || holdsBrokenText(inner))
}
