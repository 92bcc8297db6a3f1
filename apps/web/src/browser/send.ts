import type { Body, Checksums, Motion, Send, StorageReply } from '@longshore/transfer/ports'
import { crc32 } from './crc32.ts'
import type { OpenedFile } from './sources.ts'
import { unreadable } from './unreadable.ts'

// Larger ones are not read into memory: the browser sends them from the disk by itself.
const largestHashed = 8 * 1024 * 1024

/**
 * Sends by XMLHttpRequest, because fetch does not tell how far a body is. The bytes of a small file are read once, and
 * the same bytes are hashed and sent.
 */
export const send: Send = async (request, body, motion) => {
  if (body === undefined) return exchange(request, null, motion)
  const { file } = body.source as OpenedFile
  const slice = file.slice(body.start, body.end)
  await motion.pace(slice.size)
  if (!body.checksums || slice.size > largestHashed) return sendSlice(request, body, slice, motion)
  const bytes = await slice.arrayBuffer().catch((error: unknown) => {
    throw unreadable(error)
  })
  const reply = await exchange(request, bytes, motion)
  return { ...reply, checksums: await checksumsOf(bytes) }
}

async function sendSlice(
  request: Parameters<Send>[0],
  { source }: Body,
  slice: Blob,
  motion: Motion,
): Promise<StorageReply> {
  try {
    return await exchange(request, slice, motion)
  } catch (error) {
    // A file that cannot be read any more looks like a broken connection. Reading a byte of it tells them apart.
    if (!motion.signal.aborted) await readable((source as OpenedFile).file)
    throw error
  }
}

async function readable(file: File): Promise<void> {
  try {
    await file.slice(0, 1).arrayBuffer()
  } catch (error) {
    throw unreadable(error)
  }
}

async function checksumsOf(bytes: ArrayBuffer): Promise<Checksums> {
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes))
  return { sha256: hex(digest), crc32: crc32(new Uint8Array(bytes)).toString(16).padStart(8, '0') }
}

const hex = (bytes: Uint8Array) => [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('')

function exchange(
  { url, method, headers }: Parameters<Send>[0],
  body: XMLHttpRequestBodyInit | null,
  { signal, moved }: Motion,
): Promise<StorageReply> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) {
      reject(signal.reason as Error)
      return
    }
    const xhr = new XMLHttpRequest()
    const stop = () => {
      reject(signal.reason as Error)
      xhr.abort()
    }
    let told = 0
    xhr.upload.addEventListener('progress', ({ loaded }) => {
      if (loaded > told) moved(loaded - told)
      told = Math.max(told, loaded)
    })
    xhr.addEventListener('load', () =>
      resolve({ status: xhr.status, ...etagOf(xhr), text: xhr.responseText.slice(0, 4096) }),
    )
    xhr.addEventListener('error', () => reject(new TypeError('The connection to storage broke.')))
    xhr.addEventListener('loadend', () => signal.removeEventListener('abort', stop))
    signal.addEventListener('abort', stop, { once: true })
    xhr.open(method, url)
    for (const [name, value] of Object.entries(headers)) xhr.setRequestHeader(name, value)
    xhr.send(body)
  })
}

function etagOf(xhr: XMLHttpRequest): { readonly etag?: string } {
  const etag = xhr.getResponseHeader('etag')
  return etag === null ? {} : { etag }
}
