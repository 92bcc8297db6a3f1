import { createWriteStream } from 'node:fs'
import { get, type IncomingMessage } from 'node:http'
import { performance } from 'node:perf_hooks'
import { pipeline } from 'node:stream/promises'

export interface Downloaded {
  readonly bytes: number
  readonly seconds: number
  /** From sending the request to the first byte of the body. */
  readonly firstByteMs: number
}

/** Fetches an address and drops what comes, or keeps it in a file. */
export async function download(url: string, range?: string, file?: string): Promise<Downloaded> {
  const begin = performance.now()
  const reply = await open(url, range === undefined ? {} : { range })
  if (reply.statusCode !== (range === undefined ? 200 : 206))
    throw new Error(`A download answered ${reply.statusCode}.`)
  let bytes = 0
  let firstByteMs = Number.NaN
  reply.on('data', (piece: Buffer) => {
    if (bytes === 0) firstByteMs = performance.now() - begin
    bytes += piece.length
  })
  if (file === undefined) await new Promise((resolve, reject) => reply.once('end', resolve).once('error', reject))
  else await pipeline(reply, createWriteStream(file))
  if (bytes !== Number(reply.headers['content-length'])) throw new Error(`A download ended after ${bytes} bytes.`)
  return { bytes, seconds: (performance.now() - begin) / 1000, firstByteMs }
}

const open = (url: string, headers: Readonly<Record<string, string>>): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => get(url, { agent: false, headers }, resolve).on('error', reject))
