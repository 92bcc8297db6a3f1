import { create as contentDisposition } from 'content-disposition'
import type { Blueprint, Blueprints, FileInParts } from '#blob/port'
import { presigner, publicAddress } from '#blob/presign'
import { encode, sealer } from '#blob/sigv4'
import type { StorageConfig } from '#blob/storage-config'

export interface BlueprintSettings {
  /** How long upload requests stay good. */
  readonly expiresInSeconds?: number
  /**
   * Single PUTs only create: the client must send `if-none-match: *` (the blueprint says so), and the store answers 412
   * once the object exists. Without it, the URL can replace the object for as long as it lives.
   */
  readonly putOnce?: boolean
  readonly now?: () => Date
}

// No store takes a part 10,001 (some do, and then refuse to complete).
const maxPartNumber = 10_000

/** Signs requests for clients: uploads with the upload identity, downloads with the read identity. */
export function s3Blueprints(config: StorageConfig, settings: BlueprintSettings = {}): Blueprints {
  const { expiresInSeconds = 3600, putOnce = false, now = () => new Date() } = settings
  const signUpload = presigner(config, config.upload, now)
  const signDownload = presigner(config, config.read, now)
  const partUrls = partUrlMaker(config, expiresInSeconds, now)

  return {
    createUpload: (key) =>
      blueprint('POST', signUpload({ method: 'POST', key, query: { uploads: '' }, expiresInSeconds })),

    put(key, size) {
      const once: Record<string, string> = putOnce ? { 'if-none-match': '*' } : {}
      const headers = { 'content-length': String(size), ...once }
      const url = signUpload({ method: 'PUT', key, query: { 'x-id': 'PutObject' }, headers, expiresInSeconds })
      return blueprint('PUT', url, once)
    },

    parts: (file, start, count) => partUrls(file, start, count).map((url) => blueprint('PUT', url)),

    partsJson(file, start, count) {
      const urls = partUrls(file, start, count)
      if (urls.length === 0) return '[]'
      // A signed URL is made of unreserved characters, percent signs and delimiters: nothing that JSON would escape.
      return `[{"url":"${urls.join('","method":"PUT","headers":{},"body":""},{"url":"')}","method":"PUT","headers":{},"body":""}]`
    },

    download(key, options) {
      const query = {
        'response-content-disposition': contentDisposition(options.fileName),
        'response-content-type': 'application/octet-stream',
        'x-id': 'GetObject',
      }
      return signDownload({ method: 'GET', key, query, expiresInSeconds: options.expiresInSeconds })
    },
  }
}

// `content-length` is signed but not listed: every HTTP client sends it by itself, and browsers warn when a page sets it.
function blueprint(method: Blueprint['method'], url: string, headers: Record<string, string> = {}): Blueprint {
  return { url, method, headers, body: '' }
}

/** Signs many parts of one file: all but the part number (and the length of the last) is put together only once. */
function partUrlMaker(config: StorageConfig, expiresInSeconds: number, now: () => Date) {
  const sealAt = sealer(config.upload, config.region)
  const addressOf = publicAddress(config)

  return (file: FileInParts, start: number, count: number): string[] => {
    const { origin, host, path } = addressOf(file.key)
    const seal = sealAt(now())
    const lengths = file.size !== undefined
    const beforeSignature = `${seal.query}&X-Amz-Expires=${expiresInSeconds}`
    const beforeNumber = `&X-Amz-SignedHeaders=${lengths ? 'content-length%3Bhost' : 'host'}&partNumber=`
    const afterNumber = `&uploadId=${encode(file.uploadId)}&x-id=UploadPart`

    const canonicalStart = `PUT\n${path}\n${beforeSignature}${beforeNumber}`
    const canonicalEnd = `host:${host}\n\n${lengths ? 'content-length;host' : 'host'}\nUNSIGNED-PAYLOAD`
    const urlStart = `${origin}${path}?${beforeSignature}&X-Amz-Signature=`
    const wholeChunk = `${afterNumber}\n${lengths ? `content-length:${file.chunkSize}\n` : ''}${canonicalEnd}`

    const urls: string[] = []
    const end = Math.min(start + count, chunkCount(file))
    for (let index = start; index < end; index += 1) {
      const number = index + 1
      const length = chunkLength(file, index)
      const canonical =
        length === file.chunkSize
          ? `${canonicalStart}${number}${wholeChunk}`
          : `${canonicalStart}${number}${afterNumber}\ncontent-length:${length}\n${canonicalEnd}`
      urls.push(`${urlStart}${seal.sign(canonical)}${beforeNumber}${number}${afterNumber}`)
    }
    return urls
  }
}

/** An empty file still has one chunk, of no bytes: a store completes nothing without a part. */
function chunkCount({ size, chunkSize }: FileInParts): number {
  if (size === undefined) return maxPartNumber
  return Math.min(Math.max(1, Math.ceil(size / chunkSize)), maxPartNumber)
}

function chunkLength({ size, chunkSize }: FileInParts, index: number): number {
  return size === undefined ? chunkSize : Math.min(chunkSize, size - index * chunkSize)
}
