import { createHash, type Hash } from 'node:crypto'
import { readSync } from 'node:fs'
import { parentPort } from 'node:worker_threads'
import { crc32 } from 'node:zlib'
import type { Checksums } from '@longshore/transfer/ports'
import { hexCrc32 } from '#host/checksums'

/** What a thread is told of a file that it reads by the number of its handle. */
export type HashOrder =
  | { readonly kind: 'begin'; readonly id: number; readonly fd: number; readonly withCrc32: boolean }
  /** The bytes before `end` may be read. */
  | { readonly kind: 'advance'; readonly id: number; readonly end: number }
  | { readonly kind: 'finish'; readonly id: number }
  | { readonly kind: 'drop'; readonly id: number }

export type HashNews =
  | { readonly kind: 'finished'; readonly id: number; readonly checksums: Checksums; readonly bytes: number }
  | { readonly kind: 'failed'; readonly id: number; readonly code: string | undefined; readonly message: string }
  /** The handle is not used any more. */
  | { readonly kind: 'dropped'; readonly id: number }

interface Digest {
  readonly fd: number
  readonly sha256: Hash
  /** Undefined where nobody wants it. */
  crc: number | undefined
  at: number
  end: number
  finishing: boolean
  /** The file ended before `end`, or could not be read. */
  over: boolean
}

// The cache of a core holds it between the two checksums, and messages are heard after each.
const piece = Buffer.allocUnsafeSlow(256 * 1024)

const digests = new Map<number, Digest>()
let turning = false

const say = (news: HashNews) => parentPort?.postMessage(news, [])

parentPort?.on('message', (order: HashOrder) => {
  const digest = digests.get(order.id)
  if (order.kind === 'begin') {
    const { id, fd, withCrc32 } = order
    const crc = withCrc32 ? 0 : undefined
    digests.set(id, { fd, sha256: createHash('sha256'), crc, at: 0, end: 0, finishing: false, over: false })
  } else if (order.kind === 'drop') {
    digests.delete(order.id)
    say({ kind: 'dropped', id: order.id })
  } else if (digest !== undefined) {
    if (order.kind === 'advance') digest.end = Math.max(digest.end, order.end)
    else digest.finishing = true
  }
  if (!turning) turn()
})

/** A piece of every file that has some, then back to the messages. */
function turn(): void {
  turning = false
  for (const [id, digest] of digests) {
    if (digest.over) continue
    if (digest.at < digest.end) readOn(id, digest)
    if (digest.over) continue
    if (digest.at < digest.end) turning = true
    else if (digest.finishing) finish(id, digest)
  }
  if (turning) setImmediate(turn)
}

function readOn(id: number, digest: Digest): void {
  try {
    const wanted = Math.min(piece.length, digest.end - digest.at)
    const bytes = readSync(digest.fd, piece, 0, wanted, digest.at)
    if (bytes === 0) {
      finish(id, digest)
      return
    }
    const read = piece.subarray(0, bytes)
    digest.sha256.update(read)
    if (digest.crc !== undefined) digest.crc = crc32(read, digest.crc)
    digest.at += bytes
  } catch (error) {
    digest.over = true
    const { code, message } = error as NodeJS.ErrnoException
    say({ kind: 'failed', id, code, message })
  }
}

function finish(id: number, digest: Digest): void {
  digest.over = true
  const checksums = { sha256: digest.sha256.digest('hex'), crc32: digest.crc === undefined ? '' : hexCrc32(digest.crc) }
  say({ kind: 'finished', id, checksums, bytes: digest.at })
}
