import assert from 'node:assert/strict'
import { createHash, type Hash } from 'node:crypto'
import type { Readable } from 'node:stream'
import { type Answer, open, send } from '#http'

export interface Blueprint {
  readonly url: string
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

export type Bytes = Buffer | { readonly stream: Readable; readonly length: number }

/** Sends a blueprint as it was built, with these bytes where it is for bytes. */
export const sendBlueprint = (blueprint: Blueprint, bytes: Bytes | string = blueprint.body): Promise<Answer> =>
  send({
    method: blueprint.method,
    url: blueprint.url,
    headers: Object.entries(blueprint.headers),
    body: bytes,
  })

/** Opens an upload in storage and answers its UploadId. */
export async function openUpload(blueprint: Blueprint | null): Promise<string> {
  assert.ok(blueprint !== null)
  const { status, text } = await sendBlueprint(blueprint)
  assert.equal(status, 200, text)
  const uploadId = /<UploadId>([^<]+)<\/UploadId>/.exec(text)?.[1]
  assert.ok(uploadId !== undefined, text)
  return uploadId
}

/** Stores bytes and answers their etag, as storage writes it. */
export async function store(blueprint: Blueprint | null | undefined, bytes: Bytes): Promise<string> {
  assert.ok(blueprint !== null && blueprint !== undefined)
  const { status, headers, text } = await sendBlueprint(blueprint, bytes)
  assert.equal(status, 200, text)
  assert.ok(headers.etag !== undefined)
  return headers.etag
}

export const sha256 = (bytes: Buffer | string): string => createHash('sha256').update(bytes).digest('hex')

/** Reads an address to its end without keeping it: how long it was, and its SHA-256. */
export async function readThrough(url: string): Promise<{ readonly length: number; readonly hash: Hash }> {
  const reply = await open({ method: 'GET', url })
  assert.equal(reply.statusCode, 200)
  const hash = createHash('sha256')
  let length = 0
  for await (const piece of reply as AsyncIterable<Buffer>) {
    hash.update(piece)
    length += piece.length
  }
  return { length, hash }
}
