import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { type FileHandle, open, readFile, rename, rm, stat } from 'node:fs/promises'
import { Agent, type IncomingMessage, request } from 'node:http'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import { HostFault } from '@longshore/transfer/faults'
import type {
  Blueprint,
  Body,
  Clock,
  Hasher,
  Journal,
  Look,
  Motion,
  OpenSource,
  PartFile,
  Receive,
  Send,
  SourceFile,
  StorageReply,
} from '@longshore/transfer/ports'

/** The smallest host that can lend the engine what it needs: files, `node:http`, the clock of the machine. */

export const clock: Clock = {
  now: () => performance.now(),
  after: (ms, act) => {
    const timer = setTimeout(act, ms)
    return () => clearTimeout(timer)
  },
}

const agent = new Agent({ keepAlive: true })

interface OnDisk {
  readonly handle: FileHandle
}

const lookAt = async (path: string): Promise<Look> => {
  const { dev, ino, size, mtimeNs, mtime } = await stat(path, { bigint: true })
  return {
    size: Number(size),
    lastModified: mtime.toISOString(),
    identity: [dev, ino, size, mtimeNs].join(':'),
  }
}

export async function sourceFile(n: number, path: string, name: string, chunkSize: number): Promise<SourceFile> {
  return {
    n,
    kind: 'file',
    name,
    path: '',
    chunkSize,
    ...(await lookAt(path)),
    open: async () => {
      const handle = await open(path)
      const source: OpenSource & OnDisk & { readonly path: string } = {
        handle,
        path,
        ...(await lookAt(path)),
        look: () => lookAt(path),
        close: () => handle.close(),
      }
      return source
    },
  }
}

const pieceBytes = 256 * 1024

/** Reads into one buffer and writes it to the socket, so that no byte is held twice. */
export function createSend(count: (bytes: number) => void): Send {
  return (blueprint, body, motion) =>
    exchange(
      blueprint.url,
      blueprint,
      motion,
      async (outgoing) => {
        const hash = createHash('sha256')
        let crc = 0
        const buffer = Buffer.alloc(pieceBytes)
        if (body === undefined) return undefined
        for (let at = body.start; at < body.end; ) {
          const wanted = Math.min(pieceBytes, body.end - at)
          const { bytesRead } = await (body.source as unknown as OnDisk).handle.read(buffer, 0, wanted, at)
          if (bytesRead === 0) throw new HostFault('source_changed', 'The file ended before its end.')
          const piece = buffer.subarray(0, bytesRead)
          if (body.checksums) {
            hash.update(piece)
            crc = crc32(piece, crc)
          }
          await motion.pace(bytesRead)
          await new Promise<void>((resolve, reject) =>
            outgoing.write(piece, (error) => (error == null ? resolve() : reject(error))),
          )
          at += bytesRead
          count(bytesRead)
          motion.moved(bytesRead)
        }
        return body.checksums ? { sha256: hash.digest('hex'), crc32: hex(crc) } : undefined
      },
      body,
    )
}

const hex = (crc: number) => crc.toString(16).padStart(8, '0')

async function exchange(
  url: string,
  { method, headers }: Pick<Blueprint, 'method' | 'headers'>,
  { signal }: Motion,
  write: (outgoing: ReturnType<typeof request>) => Promise<StorageReply['checksums']>,
  body: Body | undefined,
): Promise<StorageReply> {
  const length = body === undefined ? 0 : body.end - body.start
  const outgoing = request(url, { method, agent, signal, headers: { ...headers, 'content-length': length } })
  const answered = new Promise<IncomingMessage>((resolve, reject) => {
    outgoing.once('response', resolve).once('error', reject)
  })
  answered.catch(() => undefined)
  try {
    const checksums = await write(outgoing)
    outgoing.end()
    const incoming = await answered
    let text = ''
    for await (const piece of incoming.setEncoding('utf8')) text += String(piece)
    return { status: incoming.statusCode ?? 0, etag: incoming.headers.etag, text, checksums }
  } catch (error) {
    outgoing.destroy()
    throw error
  }
}

/** Reads behind the others by a stream of its own. An agent does this in a thread. */
export const hasher: Hasher = {
  begin: (of) => {
    const { path } = of as unknown as { readonly path: string }
    const stop = new AbortController()
    const hash = createHash('sha256')
    let crc = 0
    let at = 0
    let reading = Promise.resolve()
    const read = async (start: number, end: number) => {
      if (end <= start || stop.signal.aborted) return
      for await (const piece of createReadStream(path, { start, end: end - 1, signal: stop.signal })) {
        hash.update(piece as Buffer)
        crc = crc32(piece as Buffer, crc)
      }
    }
    return {
      advance: (end) => {
        const start = at
        at = Math.max(at, end)
        reading = reading.then(() => read(start, end))
        reading.catch(() => undefined)
      },
      finish: async () => {
        await reading
        return { sha256: hash.digest('hex'), crc32: hex(crc) }
      },
      drop: () => stop.abort(),
    }
  },
}

/** One line of JSON a group of notes; a last line that was torn does not count. */
export function fileJournal<Note>(path: string): Journal<Note> {
  return {
    append: async (notes) => {
      const file = await open(path, 'a', 0o600)
      try {
        await file.write(`${JSON.stringify(notes)}\n`)
        await file.datasync()
      } finally {
        await file.close()
      }
    },
    load: async function* () {
      const text = await readFile(path, 'utf8').catch(() => '')
      for (const line of text.split('\n').slice(0, -1)) yield* JSON.parse(line) as Note[]
    },
  }
}

type PartOnDisk = PartFile & OnDisk

export async function openPart(folder: string, name: string): Promise<PartFile> {
  const path = join(folder, `.${name}.part`)
  const handle = await open(path, 'a+').then(async (made) => {
    await made.close()
    return open(path, 'r+')
  })
  const part: PartOnDisk & { readonly path: string } = {
    handle,
    path,
    sync: () => handle.datasync(),
    seal: () => handle.sync(),
    commit: () => rename(path, join(folder, name)),
    empty: () => handle.truncate(0),
    close: () => handle.close(),
  }
  return part
}

export async function foundIn(folder: string, name: string): Promise<'nothing' | 'part' | 'finished'> {
  const there = (path: string) => stat(path).then(Boolean, () => false)
  if (await there(join(folder, `.${name}.part`))) return 'part'
  return (await there(join(folder, name))) ? 'finished' : 'nothing'
}

export function createReceive(count: (bytes: number) => void): Receive {
  return async ({ url, start, end }, part, motion) => {
    const { handle } = part as PartOnDisk
    const outgoing = request(url, { agent, signal: motion.signal, headers: { range: `bytes=${start}-${end - 1}` } })
    const incoming = await new Promise<IncomingMessage>((resolve, reject) => {
      outgoing.once('response', resolve).once('error', reject).end()
    })
    const status = incoming.statusCode ?? 0
    if (status !== 206) {
      let text = ''
      for await (const piece of incoming.setEncoding('utf8')) text += String(piece)
      return { status, text }
    }
    let at = start
    for await (const piece of incoming as AsyncIterable<Buffer>) {
      await motion.pace(piece.length)
      await handle.write(piece, 0, piece.length, at)
      at += piece.length
      count(piece.length)
      motion.moved(piece.length)
    }
    return { status, text: '' }
  }
}

export const remove = (path: string) => rm(path, { recursive: true, force: true })
