import type { Bench } from '#blob/self-test/bench'
import { type Outcome, worst } from '#blob/self-test/finding'
import { sendRaw } from '#blob/self-test/send-raw'
import { headersText, spellings, type Trick, useProxy } from '#blob/self-test/trick'

const everybody = 'uri="http://acs.amazonaws.com/groups/global/AllUsers"'
const ways = [
  { name: 'acl', header: 'x-amz-acl', value: 'public-read' },
  { name: 'grant', header: 'x-amz-grant-read', value: everybody },
] as const

const remedy = `${useProxy} Also set IgnorePublicAcls on the bucket.`

/** Uploads that make their object readable for the whole world. */
export const publishingTricks: readonly Trick[] = ways.flatMap(({ name, header, value }) => [
  {
    id: `${name}-on-put`,
    trick: `${header} (public) on a single PUT, then reading without a signature`,
    remedy,
    attempt: async (bench) =>
      worst(await Promise.all(spellings(header, value).map((headers) => byPut(bench, headers)))),
  },
  {
    id: `${name}-on-create`,
    trick: `${header} (public) on beginning an upload, then reading without a signature`,
    remedy,
    attempt: async (bench) =>
      worst(await Promise.all(spellings(header, value).map((headers) => byCreate(bench, headers)))),
  },
])

const body = Buffer.from('should stay private')

async function byPut(bench: Bench, headers: Record<string, string>): Promise<Outcome> {
  const key = bench.freshKey()
  const { said } = await sendRaw(bench.blueprints.put(key, body.length).url, { method: 'PUT', headers, body })
  return published(bench, key, `${headersText(headers)}: ${said}`)
}

async function byCreate(bench: Bench, headers: Record<string, string>): Promise<Outcome> {
  const key = bench.freshKey()
  const { answer, uploadId } = await bench.beginUpload(key, headers)
  if (uploadId !== undefined) {
    const [part] = bench.blueprints.parts({ key, uploadId, chunkSize: body.length, size: body.length }, 0, 1)
    await sendRaw(part?.url ?? '', { method: 'PUT', body })
    await bench.finish(key, uploadId)
  }
  return published(bench, key, `${headersText(headers)}: ${answer.said}`)
}

/** Whether anybody can read it now. */
export async function published(bench: Bench, key: string, seen: string): Promise<Outcome> {
  if ((await bench.stored(key)) === undefined) return { verdict: 'refused', detail: `${seen}; nothing was stored` }
  const answers = await Promise.all(bench.anonymousUrls(key).map((url) => sendRaw(url, { method: 'GET' })))
  const got = answers.find(({ status }) => status === 200)
  if (got !== undefined) return { verdict: 'open', detail: `${seen}; anybody can read the object` }
  const saids = [...new Set(answers.map(({ said }) => said))].join(' and ')
  return { verdict: 'harmless', detail: `${seen}; stored, but reading it without a signature is answered ${saids}` }
}
