import { randomBytes } from 'node:crypto'
import { s3Blueprints } from '#blob/blueprints'
import type { Blob, Blueprints } from '#blob/port'
import { presigner, publicAddress, type RequestToSign } from '#blob/presign'
import { s3Blob } from '#blob/s3'
import { type Answer, sendRaw } from '#blob/self-test/send-raw'
import type { StorageConfig } from '#blob/storage-config'
import { ObjectGone, StorageRefusal } from '#blob/storage-errors'

export interface MadeObject {
  readonly key: string
  readonly bytes: Buffer
}

type Sign = (request: Omit<RequestToSign, 'expiresInSeconds'>) => string

/** What the tricks are tried on: objects of our own making, and every way to ask for them. */
export interface Bench {
  readonly config: StorageConfig
  readonly blob: Blob
  readonly blueprints: Blueprints
  /** Signs at the public address with the upload identity, or with the read identity. */
  readonly signUpload: Sign
  readonly signRead: Sign
  /** Signs at the internal address with the janitor's: to see what came of a trick. */
  readonly signJanitor: Sign
  /** An object that somebody else uploaded: same upload identity, other team. */
  readonly victim: MadeObject
  /** An object that the server wrote. */
  readonly ours: MadeObject
  /** A key nobody used yet. */
  freshKey(): string
  /** Begins an upload the way clients do, with extra headers if wanted; the id is undefined when it was refused. */
  beginUpload(key: string, headers?: Record<string, string>): Promise<{ answer: Answer; uploadId: string | undefined }>
  /** What is stored under a key now. */
  stored(key: string): Promise<Buffer | undefined>
  /** Joins whatever parts an upload has. False when it has none that can be joined. */
  finish(key: string, uploadId: string): Promise<boolean>
  /** The same object for somebody without any key: bare, and with half a signature that proxies may fall for. */
  anonymousUrls(key: string, query?: string): readonly string[]
}

/** Makes the objects the honest way. When even that is refused, tricks would prove nothing, so it throws. */
export async function setUpBench(config: StorageConfig, prefix: string): Promise<Bench> {
  const blob = s3Blob(config)
  const blueprints = s3Blueprints(config)
  const now = () => new Date()
  const addressOf = publicAddress(config)
  const inside = { ...config, publicEndpoint: config.endpoint }

  const freshKey = () => `${prefix}${randomBytes(16).toString('hex')}`
  const victim = { key: freshKey(), bytes: randomBytes(64) }
  const ours = { key: freshKey(), bytes: randomBytes(64) }

  await blob.write(ours.key, ours.bytes)
  const put = await sendRaw(blueprints.put(victim.key, victim.bytes.length).url, { method: 'PUT', body: victim.bytes })
  mustWork('An upload with the upload identity', put)
  const get = await sendRaw(blueprints.download(victim.key, { fileName: 'x', expiresInSeconds: 60 }), { method: 'GET' })
  mustWork('A download with the read identity', get)

  const bench: Bench = {
    config,
    blob,
    blueprints,
    signUpload: forAnHour(presigner(config, config.upload, now)),
    signRead: forAnHour(presigner(config, config.read, now)),
    signJanitor: forAnHour(presigner(inside, config.janitor, now)),
    victim,
    ours,
    freshKey,

    async beginUpload(key, headers = {}) {
      const answer = await sendRaw(blueprints.createUpload(key).url, { method: 'POST', headers })
      return { answer, uploadId: /<UploadId>(.+)<\/UploadId>/.exec(answer.body.toString())?.[1] }
    },

    async stored(key) {
      const pieces: Uint8Array[] = []
      try {
        for await (const piece of blob.read(key)) pieces.push(piece)
        return Buffer.concat(pieces)
      } catch (error) {
        if (error instanceof ObjectGone) return undefined
        throw error
      }
    },

    async finish(key, uploadId) {
      const parts = (await blob.listParts(key, uploadId)) ?? []
      if (parts.length === 0) return false
      try {
        await blob.complete(key, uploadId, parts)
        return true
      } catch (error) {
        if (error instanceof StorageRefusal) return false
        throw error
      }
    },

    anonymousUrls(key, query = '') {
      const { origin, path } = addressOf(key)
      const decoy = `X-Amz-Signature=${'0'.repeat(64)}`
      return [`${origin}${path}?${query}`, `${origin}${path}?${query}${query === '' ? '' : '&'}${decoy}`]
    },
  }
  const { answer, uploadId } = await bench.beginUpload(freshKey())
  if (uploadId === undefined) mustWork('Beginning an upload in parts', { ...answer, status: 0 })
  return bench
}

function forAnHour(sign: (request: RequestToSign) => string): Sign {
  return (request) => sign({ ...request, expiresInSeconds: 3600 })
}

function mustWork(what: string, { status, said }: Answer): void {
  if (status === 200) return
  throw new StorageRefusal('SelfTestImpossible', `${what} does not work (${said}), so nothing can be said about tricks`)
}
