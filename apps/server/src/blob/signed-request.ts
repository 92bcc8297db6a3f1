import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http'
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https'
import { setTimeout as sleep } from 'node:timers/promises'
import { type LongAnswer, longRead } from '@longshore/kit/long-read'
import { presigner } from '#blob/presign'
import { requestTimeout } from '#blob/s3-client'
import type { StorageConfig } from '#blob/storage-config'
import { StorageRefusal, StorageTrouble } from '#blob/storage-errors'

const tries = 3
const pauseMs = 100

export interface Asked {
  readonly method: 'GET' | 'HEAD'
  readonly key: string
  readonly headers?: Readonly<Record<string, string>>
  /** Ends the request, and the body that may still be coming. */
  readonly signal?: AbortSignal | undefined
  /** For messages. */
  readonly doing: string
}

/**
 * Requests of our own signing for what is asked once a file: looking it up and reading it. The SDK takes three times
 * the CPU for them; all rarer calls go through it. Undefined when there is no such object.
 */
export function signedRequests(config: StorageConfig): {
  ask(asked: Asked): Promise<IncomingMessage | undefined>
  /** For gigabytes, once and without a second try: whoever reads so much knows how to go on where it broke off. */
  askLong(asked: Omit<Asked, 'method'>): Promise<LongAnswer | undefined>
} {
  const sign = presigner({ ...config, publicEndpoint: config.endpoint }, config.janitor, () => new Date())
  const secure = config.endpoint.startsWith('https:')
  const request = secure ? httpsRequest : httpRequest
  const agent = new (secure ? HttpsAgent : HttpAgent)({ keepAlive: true, maxSockets: 256 })

  const once = ({ method, key, headers, signal }: Asked) =>
    new Promise<IncomingMessage>((resolve, reject) => {
      const url = sign({ method, key, expiresInSeconds: 60 })
      const late = setTimeout(() => sent.destroy(new Error(`no answer for ${requestTimeout / 1000} s`)), requestTimeout)
      const sent = request(url, { method, agent, headers: headers ?? {}, ...(signal === undefined ? {} : { signal }) })
        .on('response', resolve)
        .on('error', reject)
        .on('close', () => clearTimeout(late))
        .on('response', () => clearTimeout(late))
      sent.end()
    })

  async function ask(asked: Asked): Promise<IncomingMessage | undefined> {
    for (let attempt = 1; ; attempt++) {
      const answer = await once(asked).catch((error: Error) => error)
      asked.signal?.throwIfAborted()
      if (!(answer instanceof Error)) {
        const fault = faultOf(answer.statusCode ?? 0, asked.doing)
        if (fault === undefined) return answer
        answer.resume()
        if (fault === 'gone') return undefined
        if (fault instanceof StorageRefusal || attempt === tries) throw fault
      } else if (attempt === tries) {
        throw new StorageTrouble(`${asked.doing}: ${answer.message}`, { cause: answer })
      }
      await sleep(pauseMs * attempt)
    }
  }

  async function askLong({ key, headers, signal, doing }: Omit<Asked, 'method'>): Promise<LongAnswer | undefined> {
    const url = sign({ method: 'GET', key, expiresInSeconds: 60 })
    const answer = await longRead(url, { headers, signal })
    const fault = faultOf(answer.status, doing)
    if (fault === undefined) return answer
    answer.close()
    if (fault === 'gone') return undefined
    throw fault
  }

  return { ask, askLong }
}

/** Undefined where the store did what was asked. */
function faultOf(status: number, doing: string): 'gone' | StorageRefusal | StorageTrouble | undefined {
  if (status >= 200 && status < 300) return undefined
  if (status === 404) return 'gone'
  return status >= 400 && status < 500 && status !== 429
    ? new StorageRefusal(String(status), `${doing}: ${status}`)
    : new StorageTrouble(`${doing}: ${status}`)
}
