import { isId } from '@longshore/kit/ids'
import { create as contentDisposition } from 'content-disposition'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Cx } from '#domain/cx'
import { openArchive } from '#domain/archives/open-archive'
import { Refusal } from '#domain/refusal'
import { sendPieces } from './send-pieces.ts'

export const archivePath = '/v1/archives/'

interface Address {
  readonly Params: { readonly package_id: string; readonly file_id: string }
  readonly Querystring: { readonly token?: unknown }
}

// A reader who takes nothing for so long has gone without saying so.
const stalledMs = 120_000

/**
 * Archives at their signed addresses. Like the addresses of the store they are made by a call and are no calls
 * themselves: whoever has one sends it as it is, with Range or without.
 */
export function addArchives(app: FastifyInstance, cx: Cx, countCall: (request: FastifyRequest) => Promise<void>): void {
  const closing = new AbortController()
  // A download may take hours and goes on elsewhere by Range; the end of this process does not wait for it.
  app.addHook('preClose', async () => closing.abort(new Error('the server ends')))

  app.route<Address>({
    method: ['GET', 'HEAD'],
    url: `${archivePath}:package_id/:file_id`,
    schema: { hide: true },
    onRequest: async (request) => {
      request.caller = { kind: 'anonymous' }
      await countCall(request)
    },
    handler: async (request, reply) => {
      const { package_id: packageId, file_id: fileId } = request.params
      const { token } = request.query
      if (!isId(packageId) || !isId(fileId)) throw new Refusal('not_found')
      if (typeof token !== 'string')
        throw new Refusal('credential_missing', 'This address is not whole: its token is missing.')
      const isHead = request.method === 'HEAD'
      const { headers } = request
      const archive = await openArchive(
        cx,
        { packageId, fileId, token },
        {
          // A range is a matter of GET alone.
          range: isHead ? undefined : headers.range,
          ifRange: oneValue(headers['if-range']),
          ifMatch: headers['if-match'],
          ifNoneMatch: headers['if-none-match'],
        },
      )
      const { verdict, etag, size } = archive
      void reply.status(verdict.status).header('etag', etag).header('accept-ranges', 'bytes')
      // Every byte counts for the ranges, so nobody on the way may compress or change it.
      void reply.header('cache-control', 'private, no-transform')
      if (verdict.status === 416) void reply.header('content-range', `bytes */${size}`)
      if (!('start' in verdict)) return reply.send()
      void reply.type('application/zip').header('content-disposition', contentDisposition(archive.fileName))
      void reply.header('content-length', verdict.end - verdict.start)
      if (verdict.status === 206) {
        void reply.header('content-range', `bytes ${verdict.start}-${verdict.end - 1}/${size}`)
      }
      if (isHead) return reply.send()
      await sendPieces(cx, reply, await archive.bytes(untilLeft(reply, closing.signal)))
      return reply
    },
  })
}

/** Aborted as soon as the reply has nobody to go to. */
function untilLeft(reply: FastifyReply, closing: AbortSignal): AbortSignal {
  const left = new AbortController()
  reply.raw.once('close', () => left.abort(new Error('the reader left')))
  reply.raw.setTimeout(stalledMs, () => reply.raw.destroy())
  return AbortSignal.any([left.signal, closing])
}

const oneValue = (header: string | string[] | undefined): string | undefined =>
  typeof header === 'string' ? header : undefined
