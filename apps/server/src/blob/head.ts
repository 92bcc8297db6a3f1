import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http'
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https'
import { setTimeout as sleep } from 'node:timers/promises'
import type { StoredObject } from '#blob/port'
import { presigner } from '#blob/presign'
import { requestTimeout } from '#blob/s3-client'
import type { StorageConfig } from '#blob/storage-config'
import { StorageRefusal, StorageTrouble } from '#blob/storage-errors'

const tries = 3
const pauseMs = 100

/**
 * Looks an object up. Every small file that is finalized costs one of these, and the SDK takes three times the CPU for
 * it that a request of our own signing does; all rarer calls go through the SDK.
 */
export function headObject(config: StorageConfig): (key: string) => Promise<StoredObject | undefined> {
  const sign = presigner({ ...config, publicEndpoint: config.endpoint }, config.janitor, () => new Date())
  const ask = config.endpoint.startsWith('https:') ? httpsRequest : httpRequest
  const agent = new (config.endpoint.startsWith('https:') ? HttpsAgent : HttpAgent)({
    keepAlive: true,
    maxSockets: 256,
  })

  const once = (key: string) =>
    new Promise<IncomingMessage>((resolve, reject) => {
      const url = sign({ method: 'HEAD', key, expiresInSeconds: 60 })
      ask(url, { method: 'HEAD', agent, signal: AbortSignal.timeout(requestTimeout) })
        .on('response', (response) => resolve(response.resume()))
        .on('error', reject)
        .end()
    })

  return async (key) => {
    const doing = `Look up ${key}`
    for (let attempt = 1; ; attempt++) {
      const answer = await once(key).catch((error: Error) => error)
      if (!(answer instanceof Error)) {
        const { statusCode = 0, headers } = answer
        if (statusCode === 200) {
          return { etag: (headers.etag ?? '').replaceAll('"', ''), size: Number(headers['content-length'] ?? 0) }
        }
        if (statusCode === 404) return undefined
        if (statusCode >= 400 && statusCode < 500 && statusCode !== 429) {
          throw new StorageRefusal(String(statusCode), `${doing}: ${statusCode}`)
        }
        if (attempt === tries) throw new StorageTrouble(`${doing}: ${statusCode}`)
      } else if (attempt === tries) {
        throw new StorageTrouble(`${doing}: ${answer.message}`, { cause: answer })
      }
      await sleep(pauseMs * attempt)
    }
  }
}
