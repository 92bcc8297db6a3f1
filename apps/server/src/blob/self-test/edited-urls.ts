import { s3Blueprints } from '#blob/blueprints'
import type { Bench } from '#blob/self-test/bench'
import { type Outcome, worst } from '#blob/self-test/finding'
import { type Answer, type RawRequest, sendRaw } from '#blob/self-test/send-raw'
import type { Trick } from '#blob/self-test/trick'

const body = Buffer.from('twelve bytes')
const remedy = 'Do not use this store or proxy: it does not check what the signature covers.'

/** URLs of ours that were changed, used for something else, too late, or for more. */
export const editedUrlTricks: readonly Trick[] = [
  ...(['GET', 'HEAD', 'DELETE'] as const).map(
    (method): Trick => ({
      id: `part-url-${method.toLowerCase()}`,
      trick: `${method} with the URL of a part`,
      remedy,
      async attempt(bench) {
        const { key, uploadId, url } = await partUrl(bench)
        const answer = await sendRaw(url, { method })
        const gone = (await bench.blob.listParts(key, uploadId)) === undefined
        return gone
          ? { verdict: 'open', detail: `${answer.said}; the upload is gone` }
          : refusedUnlessDone(answer, 'the upload is as before')
      },
    }),
  ),
  {
    id: 'other-part-number',
    trick: 'the URL of a part with another part number',
    remedy,
    async attempt(bench) {
      const { key, uploadId, url } = await partUrl(bench)
      return putPart(bench, url.replace('partNumber=1', 'partNumber=2'), key, uploadId)
    },
  },
  {
    id: 'other-upload-id',
    trick: 'the URL of a part with the id of another upload',
    remedy,
    async attempt(bench) {
      const { key, uploadId, url } = await partUrl(bench)
      const { uploadId: other = '' } = await bench.beginUpload(key)
      return putPart(bench, url.replace(encodeURIComponent(uploadId), encodeURIComponent(other)), key, other)
    },
  },
  {
    id: 'other-key',
    trick: 'the URL of a single PUT with the key of another object',
    remedy,
    async attempt(bench) {
      const [key, other] = [bench.freshKey(), bench.freshKey()]
      // Not the common victim: other tricks are reading that one meanwhile.
      await bench.blob.write(other, Buffer.from('as it was'))
      const { url } = bench.blueprints.put(key, body.length)
      const answer = await sendRaw(url.replace(key, other), { method: 'PUT', body })
      return (await bench.stored(other))?.toString() === 'as it was'
        ? refusedUnlessDone(answer, 'the other object is as before')
        : { verdict: 'open', detail: `${answer.said}; the other object was replaced` }
    },
  },
  {
    id: 'longer-body',
    trick: 'a longer body than was signed, on a part and on a single PUT',
    remedy,
    attempt: (bench) => tooLong(bench, { method: 'PUT', body: Buffer.alloc(200_000) }),
  },
  {
    id: 'body-without-length',
    trick: 'a longer body that does not say its length, on a part and on a single PUT',
    remedy,
    attempt: (bench) => tooLong(bench, { method: 'PUT', body: Buffer.alloc(200_000), chunked: true }),
  },
  {
    id: 'expired-upload',
    trick: 'an upload URL after its time',
    remedy: `${remedy} Or set its clock.`,
    async attempt(bench) {
      const key = bench.freshKey()
      const now = () => new Date(Date.now() - 120_000)
      const { url } = s3Blueprints(bench.config, { expiresInSeconds: 60, now }).put(key, body.length)
      return refusedUnlessDone(await sendRaw(url, { method: 'PUT', body }))
    },
  },
  {
    id: 'expired-download',
    trick: 'a download URL after its time',
    remedy: `${remedy} Or set its clock.`,
    async attempt(bench) {
      const late = s3Blueprints(bench.config, { now: () => new Date(Date.now() - 120_000) })
      const url = late.download(bench.victim.key, { fileName: 'f', expiresInSeconds: 60 })
      return refusedUnlessDone(await sendRaw(url, { method: 'GET' }))
    },
  },
  {
    id: 'part-after-complete',
    trick: 'the URL of a part again, with other bytes, after the upload was completed',
    remedy,
    async attempt(bench) {
      const { key, uploadId, url } = await partUrl(bench)
      await sendRaw(url, { method: 'PUT', body })
      await bench.finish(key, uploadId)
      const answer = await sendRaw(url, { method: 'PUT', body: Buffer.alloc(body.length, 'late') })
      const now = await bench.stored(key)
      if (now === undefined || !now.equals(body)) {
        return { verdict: 'open', detail: `${answer.said}; the finished object has changed` }
      }
      return answer.status >= 200 && answer.status < 300
        ? { verdict: 'harmless', detail: `${answer.said}; the finished object is as before` }
        : { verdict: 'refused', detail: `${answer.said}; the finished object is as before` }
    },
  },
  {
    id: 'put-once-twice',
    trick: 'a single PUT that was signed to create only (if-none-match), again with other bytes',
    remedy: 'The store ignores If-None-Match: switch single PUTs off, so that every file goes up in parts.',
    async attempt(bench) {
      const key = bench.freshKey()
      const { url, headers } = s3Blueprints(bench.config, { putOnce: true }).put(key, body.length)
      await sendRaw(url, { method: 'PUT', headers, body })
      const answer = await sendRaw(url, { method: 'PUT', headers, body: Buffer.alloc(body.length, 'late') })
      return (await bench.stored(key))?.equals(body) === true
        ? refusedUnlessDone(answer, 'the object is as before')
        : { verdict: 'open', detail: `${answer.said}; the object was replaced` }
    },
  },
  ...Object.entries({
    'download-shown-inline': (url: string) => url.replace('attachment', 'inline'),
    'download-as-page': (url: string) => url.replace('application%2Foctet-stream', 'text%2Fhtml'),
    'download-without-type': (url: string) => url.replace('&response-content-type=application%2Foctet-stream', ''),
    'download-with-more': (url: string) => `${url}&response-cache-control=public`,
  }).map(
    ([id, edit]): Trick => ({
      id,
      trick: `a download URL edited: ${id.replaceAll('-', ' ')}`,
      remedy,
      async attempt(bench) {
        const url = bench.blueprints.download(bench.victim.key, { fileName: 'f', expiresInSeconds: 60 })
        return refusedUnlessDone(await sendRaw(edit(url), { method: 'GET' }))
      },
    }),
  ),
  {
    id: 'download-other-key',
    trick: 'a download URL with the key of another object',
    remedy,
    async attempt(bench) {
      const url = bench.blueprints.download(bench.ours.key, { fileName: 'f', expiresInSeconds: 60 })
      return refusedUnlessDone(await sendRaw(url.replace(bench.ours.key, bench.victim.key), { method: 'GET' }))
    },
  },
]

async function partUrl(bench: Bench): Promise<{ key: string; uploadId: string; url: string }> {
  const key = bench.freshKey()
  const { uploadId = '' } = await bench.beginUpload(key)
  const [part] = bench.blueprints.parts({ key, uploadId, chunkSize: body.length, size: body.length }, 0, 1)
  return { key, uploadId, url: part?.url ?? '' }
}

async function putPart(bench: Bench, url: string, key: string, uploadId: string): Promise<Outcome> {
  const { said } = await sendRaw(url, { method: 'PUT', body })
  const parts = (await bench.blob.listParts(key, uploadId)) ?? []
  return parts.length === 0
    ? { verdict: 'refused', detail: `${said}; no part was stored` }
    : { verdict: 'open', detail: `${said}; a part was stored that we did not sign` }
}

async function tooLong(bench: Bench, request: RawRequest): Promise<Outcome> {
  const { key, uploadId, url } = await partUrl(bench)
  const part = async (): Promise<Outcome> => {
    const { said } = await sendRaw(url, request)
    const stored = (await bench.blob.listParts(key, uploadId))?.[0]?.size
    return lengthOutcome(`part: ${said}`, stored)
  }
  const single = async (): Promise<Outcome> => {
    const target = bench.freshKey()
    const { said } = await sendRaw(bench.blueprints.put(target, body.length).url, request)
    return lengthOutcome(`single PUT: ${said}`, (await bench.blob.head(target))?.size)
  }
  return worst(await Promise.all([part(), single()]))
}

function lengthOutcome(seen: string, stored: number | undefined): Outcome {
  if (stored === undefined) return { verdict: 'refused', detail: `${seen}; nothing was stored` }
  return stored > body.length
    ? { verdict: 'open', detail: `${seen}; ${stored} bytes were stored where ${body.length} were signed` }
    : { verdict: 'harmless', detail: `${seen}; only ${stored} bytes were stored` }
}

function refusedUnlessDone({ status, said }: Answer, also = ''): Outcome {
  const detail = also === '' ? said : `${said}; ${also}`
  return { verdict: status >= 200 && status < 400 ? 'open' : 'refused', detail }
}
