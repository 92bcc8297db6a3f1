import type { OutgoingHttpHeaders, ServerResponse } from 'node:http'
import type { FastifyReply } from 'fastify'
import type { Cx } from '#domain/cx'

/**
 * Sends a long reply in pieces. The next one is asked for when the one before has left, so that no more than one is held
 * and its memory can be used again. Whatever goes wrong before the first piece is refused like any other call.
 */
export async function sendPieces(
  { log }: Pick<Cx, 'log'>,
  reply: FastifyReply,
  pieces: AsyncIterable<string | Uint8Array>,
): Promise<void> {
  const { raw } = reply
  const source = pieces[Symbol.asyncIterator]()
  let piece = await source.next()
  reply.hijack()
  raw.writeHead(reply.statusCode, reply.getHeaders() as OutgoingHttpHeaders)
  try {
    while (piece.done !== true && !raw.destroyed) {
      await written(raw, piece.value)
      piece = await source.next()
    }
    raw.end()
  } catch (err) {
    // The status has gone out, so the log is the only one to hear of it.
    if (!raw.destroyed) log.warn({ request_id: reply.request.id, err }, 'a reply broke off')
    raw.destroy()
  } finally {
    await source.return?.()
  }
}

/** Resolves when the piece has left, or nobody is there to take it. */
const written = (raw: ServerResponse, piece: string | Uint8Array): Promise<void> =>
  new Promise((resolve) => raw.write(piece, () => resolve()))
