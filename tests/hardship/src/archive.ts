import { hash, randomBytes } from 'node:crypto'
import { get, type IncomingMessage } from 'node:http'
import { crc32 } from 'node:zlib'
import { addFiles, finalizeFiles, listFiles } from '@longshore/contract/cloud/files'
import type { Ground } from '#ground'
import { addressOf, finalizeWhole, openPackage, readerOf } from '#sender'

/** A finalized package of random files of these sizes, and the address of its archive. */
export async function sendForArchive(ground: Ground, sizes: readonly number[]): Promise<string> {
  const pkg = await openPackage(ground)
  const params = { package_id: pkg.id }
  const credential = { credential: pkg.token }
  const files = sizes.map((size, index) => ({
    kind: 'file' as const,
    name: `${index}.bin`,
    path: `reel ${index % 3}`,
    size,
    last_modified: '2026-01-02T03:04:05.000Z',
  }))
  const added = await ground.client.call(addFiles, { params, body: { files } }, credential)
  const claims = []
  for (const { file, put_blueprint } of added.files) {
    const bytes = randomBytes(file.size ?? 0)
    if (put_blueprint === null) throw new Error('The file came without a request that stores it.')
    const { url, method, headers } = put_blueprint
    const stored = await fetch(url, { method, headers, body: bytes })
    if (!stored.ok) throw new Error(`The store answered ${stored.status}: ${await stored.text()}`)
    const checksums = { crc32: crc32(bytes).toString(16).padStart(8, '0'), sha256: hash('sha256', bytes) }
    claims.push({ file_id: file.id, size: bytes.length, checksums })
  }
  await ground.client.call(finalizeFiles, { params, body: { files: claims } }, credential)
  const finalized = await finalizeWhole(ground, pkg)
  if (finalized.status !== 204) throw new Error(`The package was refused: ${await finalized.text()}`)

  const reader = await readerOf(ground, pkg)
  const listed = await ground.client.call(listFiles, { params }, { credential: reader })
  const archive = listed.find(({ kind }) => kind === 'zip_windows')
  const reply = await addressOf(ground, pkg.id, archive?.id ?? '', reader)
  if (!reply.ok) throw new Error(`No address: ${reply.status} ${await reply.text()}`)
  return ((await reply.json()) as { url: string }).url
}

/** Asks for an address on a connection of its own, which ends when the reply is destroyed. */
export const open = (url: string, headers: Readonly<Record<string, string>> = {}): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    get(url, { agent: false, headers }, resolve).on('error', reject)
  })

/** Reads so many bytes and hangs up. */
export async function readAndLeave(reply: IncomingMessage, bytes: number): Promise<Buffer> {
  const pieces: Buffer[] = []
  let length = 0
  for await (const piece of reply as AsyncIterable<Buffer>) {
    pieces.push(piece)
    length += piece.length
    if (length >= bytes) break
  }
  reply.destroy()
  return Buffer.concat(pieces).subarray(0, bytes)
}
