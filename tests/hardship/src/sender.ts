import { createHash, randomBytes, randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { ApiError } from '@longshore/client/client'
import { addFile, addFiles, chunkRequests, fileUrl, finalizeFile, finalizeFiles } from '@longshore/contract/cloud/files'
import { createLink, lookUpLink } from '@longshore/contract/cloud/links'
import { createTeamPackage, finalizePackage } from '@longshore/contract/cloud/packages'
import type { Ground } from '#ground'

export interface SentFile {
  readonly id: string
  readonly sha256: string
  readonly size: number
}

export interface OpenPackage {
  readonly id: string
  readonly token: { readonly packageToken: string }
}

export interface SentPackage extends OpenPackage {
  readonly files: readonly SentFile[]
}

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')

export async function openPackage(ground: Ground, options: { key?: string } = {}): Promise<OpenPackage> {
  const { id, access_token } = await ground.client.call(
    createTeamPackage,
    { params: { team_id: ground.team.team_id }, body: { name: 'Rushes', description: '', recipients: [] } },
    options.key === undefined ? {} : { idempotencyKey: options.key },
  )
  if (access_token === undefined) throw new Error('The new package came without its token.')
  return { id, token: { packageToken: access_token } }
}

const entry = (name: string) => ({
  kind: 'file' as const,
  name,
  path: '',
  last_modified: '2026-01-02T03:04:05.000Z',
})

/** How a call is made: as it is, or again and again until it is answered. */
type Manner = <Result>(call: () => Promise<Result>) => Promise<Result>

const plainly: Manner = (call) => call()

/** Uploads a file in one part and answers what finalizing it is called with. */
export async function uploadFile(ground: Ground, pkg: OpenPackage, name: string, size = 1000, manner = plainly) {
  const bytes = randomBytes(size)
  const credential = { credential: pkg.token }
  const idempotencyKey = randomUUID()
  const added = await manner(() =>
    ground.client.call(
      addFile,
      { params: { package_id: pkg.id }, body: { ...entry(name), size } },
      { ...credential, idempotencyKey },
    ),
  )
  const begun = await store(added.create_blueprint)
  const upload_id = /<UploadId>(.+)<\/UploadId>/.exec(await begun.text())?.[1] ?? ''
  const [request] = await manner(() =>
    ground.client.call(
      chunkRequests,
      {
        params: { package_id: pkg.id, file_id: added.file.id },
        query: { start: 0, count: 1 },
        body: { upload_id },
      },
      credential,
    ),
  )
  const etag = (await store(request, bytes)).headers.get('etag') ?? ''
  return {
    file: { id: added.file.id, sha256: sha256(bytes), size },
    claim: { size, chunk_extras: [{ part_number: 1, etag }], file_extras: { upload_id } },
  }
}

export const finalizeOne = (
  ground: Ground,
  pkg: OpenPackage,
  sent: { readonly file: SentFile; readonly claim: Awaited<ReturnType<typeof uploadFile>>['claim'] },
) =>
  ground.client.raw(
    finalizeFile,
    { params: { package_id: pkg.id, file_id: sent.file.id }, body: sent.claim },
    { credential: pkg.token },
  )

export const finalizeWhole = (ground: Ground, pkg: OpenPackage) =>
  ground.client.raw(finalizePackage, { params: { package_id: pkg.id } }, { credential: pkg.token })

/** A finalized package with one file. */
export async function sendPackage(ground: Ground): Promise<SentPackage> {
  const pkg = await openPackage(ground)
  const sent = await uploadFile(ground, pkg, 'a')
  await granted(finalizeOne(ground, pkg, sent))
  await granted(finalizeWhole(ground, pkg))
  return { ...pkg, files: [sent.file] }
}

/** Puts many tiny objects into an open package and begins some uploads that are never finished. */
export async function fillPackage(ground: Ground, pkg: OpenPackage, objects: number, uploads: number): Promise<void> {
  const credential = { credential: pkg.token }
  const params = { package_id: pkg.id }
  const body = new Uint8Array([1])
  for (let from = 0; from < objects; from += 1000) {
    const names = Array.from({ length: Math.min(1000, objects - from) }, (_, index) => `n${from + index}`)
    const files = names.map((name) => ({ ...entry(name), size: 1 }))
    const added = await ground.client.call(addFiles, { params, body: { files } }, credential)
    const waiting = added.files.values()
    const lane = async () => {
      for (const file of waiting) await (await store(file.put_blueprint, body)).arrayBuffer()
    }
    await Promise.all(Array.from({ length: 12 }, lane))
  }
  for (let index = 0; index < uploads; index++) await uploadFile(ground, pkg, `open ${index}`)
}

/**
 * One package of two files, sent by a client that does not give up: what fails for want of an answer, or with a 5xx, is
 * sent again as it was. Everything else ends the test.
 */
export async function sendStubbornly(ground: Ground): Promise<SentPackage> {
  const createKey = randomUUID()
  const pkg = await stubbornly(() => openPackage(ground, { key: createKey }))
  const parts = await uploadFile(ground, pkg, 'parts', 50_000, stubbornly)
  const bytes = randomBytes(2_000)
  const addKey = randomUUID()
  const added = await stubbornly(() =>
    ground.client.call(
      addFiles,
      { params: { package_id: pkg.id }, body: { files: [{ ...entry('whole'), size: bytes.length }] } },
      { credential: pkg.token, idempotencyKey: addKey },
    ),
  )
  const whole = added.files[0]
  if (whole === undefined) throw new Error('No file was added.')
  await store(whole.put_blueprint, bytes)
  await stubbornly(() => granted(finalizeOne(ground, pkg, parts)))
  await stubbornly(async () => {
    const { results } = await ground.client.call(
      finalizeFiles,
      { params: { package_id: pkg.id }, body: { files: [{ file_id: whole.file.id, size: bytes.length }] } },
      { credential: pkg.token },
    )
    if (results[0]?.status !== 204) throw new Error(`The file was refused: ${JSON.stringify(results)}`)
  })
  await stubbornly(() => granted(finalizeWhole(ground, pkg)))
  return { ...pkg, files: [parts.file, { id: whole.file.id, sha256: sha256(bytes), size: bytes.length }] }
}

async function granted(reply: Promise<Response>): Promise<void> {
  const { status } = await reply
  if (status !== 204) throw new ApiErrorLike(status, await (await reply).text())
}

class ApiErrorLike extends Error {
  readonly status: number
  constructor(status: number, text: string) {
    super(`${status}: ${text}`)
    this.status = status
  }
}

const patienceMs = 180_000

export async function stubbornly<Result>(work: () => Promise<Result>): Promise<Result> {
  const deadline = Date.now() + patienceMs
  while (true) {
    try {
      return await work()
    } catch (error) {
      if (!isPassing(error) || Date.now() > deadline) throw error
      await sleep(100)
    }
  }
}

/** Without an answer, or with one that says to come again. */
function isPassing(error: unknown): boolean {
  if (error instanceof ApiError || error instanceof ApiErrorLike) return error.status === 503
  return error instanceof TypeError
}

interface StoreRequest {
  readonly url: string
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
}

async function store(request: StoreRequest | null | undefined, body?: Uint8Array<ArrayBuffer>): Promise<Response> {
  if (request === null || request === undefined) throw new Error('There is no request for the store.')
  const { url, method, headers } = request
  const reply = await fetch(url, { method, headers, ...(body === undefined ? {} : { body }) })
  if (!reply.ok) throw new Error(`The store answered ${reply.status}: ${await reply.text()}`)
  return reply
}

/** Opens a package by a link of its own and answers a token that reads it. */
export async function readerOf(ground: Ground, pkg: OpenPackage): Promise<{ readonly packageToken: string }> {
  const params = { package_id: pkg.id }
  const link = await ground.client.call(createLink, { params, body: {} }, { credential: pkg.token })
  const opened = await ground.client.call(
    lookUpLink,
    { params: { link_id: link.id }, query: { secret: link.secret } },
    { credential: undefined },
  )
  return { packageToken: opened.package_token }
}

export const addressOf = (
  ground: Ground,
  packageId: string,
  fileId: string,
  reader: { readonly packageToken: string },
) => ground.client.raw(fileUrl, { params: { package_id: packageId, file_id: fileId } }, { credential: reader })

/** The SHA-256 of a file as a recipient gets it. */
export async function downloaded(
  ground: Ground,
  pkg: OpenPackage,
  file: Pick<SentFile, 'id'>,
  reader: { readonly packageToken: string },
): Promise<string> {
  const reply = await addressOf(ground, pkg.id, file.id, reader)
  if (!reply.ok) throw new Error(`No address: ${reply.status} ${await reply.text()}`)
  const { url } = (await reply.json()) as { url: string }
  const hash = createHash('sha256')
  // Piece by piece: some are larger than memory.
  for await (const piece of (await fetch(url)).body ?? []) hash.update(piece)
  return hash.digest('hex')
}
