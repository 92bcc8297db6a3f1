import { createHash, randomBytes } from 'node:crypto'
import type { Bench } from '#blob/self-test/bench'
import { type Outcome, worst } from '#blob/self-test/finding'
import { type Answer, sendRaw } from '#blob/self-test/send-raw'
import { headersText, spellings, type Trick, useProxy } from '#blob/self-test/trick'

const body = Buffer.from('with something extra')

/** Uploads that say more about their object than we signed. */
export const unsignedHeaderTricks: readonly Trick[] = [
  {
    id: 'tagging',
    trick: 'x-amz-tagging on a single PUT',
    remedy: `${useProxy} Do not use lifecycle rules or policies that go by tags.`,
    attempt: (bench) =>
      putWith(bench, spellings('x-amz-tagging', 'sender=chose'), async (key) => {
        const url = bench.signJanitor({ method: 'GET', key, query: { tagging: '' } })
        const tags = await sendRaw(url, { method: 'GET' })
        return tags.body.includes('sender')
          ? { verdict: 'open', detail: 'the object carries the tag that the sender chose' }
          : { verdict: 'harmless', detail: `the object carries no tag (${tags.said})` }
      }),
  },
  {
    id: 'website-redirect',
    trick: 'x-amz-website-redirect-location on a single PUT',
    remedy: `${useProxy} Do not serve the bucket as a web site.`,
    attempt: (bench) =>
      putWith(bench, spellings('x-amz-website-redirect-location', 'https://example.org/'), async (key) => {
        const got = await sendRaw(bench.blueprints.download(key, { fileName: 'f', expiresInSeconds: 60 }), {
          method: 'GET',
        })
        const kept = (await headOf(bench, key)).headers['x-amz-website-redirect-location'] !== undefined
        const noted = kept ? 'the target is kept with the object' : 'no target is kept'
        return got.status === 200 && got.body.equals(body)
          ? { verdict: 'harmless', detail: `${noted}, and a download gives the bytes and no redirect` }
          : { verdict: 'open', detail: `${noted}, and a download is answered ${got.said}` }
      }),
  },
  {
    id: 'storage-class',
    trick: 'x-amz-storage-class on a single PUT',
    remedy: useProxy,
    attempt: (bench) =>
      putWith(bench, spellings('x-amz-storage-class', 'REDUCED_REDUNDANCY'), async (key) => {
        const { headers } = await headOf(bench, key)
        const kept = headers['x-amz-storage-class'] ?? 'STANDARD'
        return kept === 'REDUCED_REDUNDANCY'
          ? { verdict: 'open', detail: 'the object has the storage class that the sender chose' }
          : { verdict: 'harmless', detail: `the object has the class ${String(kept)}` }
      }),
  },
  {
    id: 'sender-key',
    trick: 'x-amz-server-side-encryption-customer-* on a single PUT, so that only the sender can read',
    remedy: useProxy,
    attempt: async (bench) => worst(await Promise.all(senderKeyHeaders.map((headers) => lockedAway(bench, headers)))),
  },
  {
    id: 'streaming-trailer',
    trick: 'x-amz-content-sha256: STREAMING-UNSIGNED-PAYLOAD-TRAILER on a single PUT',
    remedy: useProxy,
    attempt: async (bench) => worst(await Promise.all(streamingHeaders.map((headers) => streamed(bench, headers)))),
  },
  {
    id: 'streaming-trailer-forged',
    trick: 'the same on a URL whose signature is wrong',
    remedy: `Update the store: it does not check signatures of such requests. ${useProxy}`,
    attempt: async (bench) => worst(await Promise.all(streamingHeaders.map((headers) => forged(bench, headers)))),
  },
]

async function putWith(
  bench: Bench,
  ways: readonly Record<string, string>[],
  look: (key: string) => Promise<Outcome>,
): Promise<Outcome> {
  const outcomes = ways.map(async (headers): Promise<Outcome> => {
    const key = bench.freshKey()
    const url = bench.blueprints.put(key, body.length).url
    const seen = `${headersText(headers)}: ${(await sendRaw(url, { method: 'PUT', headers, body })).said}`
    if ((await bench.stored(key)) === undefined) return { verdict: 'refused', detail: `${seen}; nothing was stored` }
    const { verdict, detail } = await look(key)
    return { verdict, detail: `${seen}; ${detail}` }
  })
  return worst(await Promise.all(outcomes))
}

const secret = randomBytes(32)
const senderKey = {
  'x-amz-server-side-encryption-customer-algorithm': 'AES256',
  'x-amz-server-side-encryption-customer-key': secret.toString('base64'),
  'x-amz-server-side-encryption-customer-key-md5': createHash('md5').update(secret).digest('base64'),
}
const senderKeyHeaders = [
  senderKey,
  Object.fromEntries(Object.entries(senderKey).map(([name, value]) => [name.replaceAll('-', '_'), value])),
]

async function lockedAway(bench: Bench, headers: Record<string, string>): Promise<Outcome> {
  const key = bench.freshKey()
  const { said } = await sendRaw(bench.blueprints.put(key, body.length).url, { method: 'PUT', headers, body })
  const got = await sendRaw(bench.signJanitor({ method: 'GET', key }), { method: 'GET' })
  if (got.status === 404) return { verdict: 'refused', detail: `${said}; nothing was stored` }
  return got.status === 200 && got.body.equals(body)
    ? { verdict: 'harmless', detail: `${said}; stored readable, as if the headers were not there` }
    : { verdict: 'open', detail: `${said}; stored, and reading it is answered ${got.said}` }
}

const streamingHeaders = spellings('x-amz-content-sha256', 'STREAMING-UNSIGNED-PAYLOAD-TRAILER').map((header) => ({
  ...header,
  'content-encoding': 'aws-chunked',
  'x-amz-decoded-content-length': '5',
}))
const framed = Buffer.from('5\r\nhello\r\n0\r\n\r\n')

async function streamed(bench: Bench, headers: Record<string, string>): Promise<Outcome> {
  const key = bench.freshKey()
  const { said } = await sendRaw(bench.blueprints.put(key, framed.length).url, { method: 'PUT', headers, body: framed })
  const stored = await bench.stored(key)
  const seen = `${headersText(headers)}: ${said}`
  if (stored === undefined) return { verdict: 'refused', detail: `${seen}; nothing was stored` }
  const how = stored.equals(framed) ? 'as they were sent' : `as ${stored.length} of the ${framed.length} signed bytes`
  return stored.length > framed.length
    ? { verdict: 'open', detail: `${seen}; more was stored than signed` }
    : { verdict: 'harmless', detail: `${seen}; the sender's own bytes were stored ${how}, never more than signed` }
}

async function forged(bench: Bench, headers: Record<string, string>): Promise<Outcome> {
  const key = bench.freshKey()
  const { url } = bench.blueprints.put(key, framed.length)
  const wrong = url.replace(/X-Amz-Signature=[0-9a-f]+/, `X-Amz-Signature=${'0'.repeat(64)}`)
  const { said } = await sendRaw(wrong, { method: 'PUT', headers, body: framed })
  const seen = `${headersText(headers)}: ${said}`
  return (await bench.stored(key)) === undefined
    ? { verdict: 'refused', detail: `${seen}; nothing was stored` }
    : { verdict: 'open', detail: `${seen}; stored without a valid signature` }
}

function headOf(bench: Bench, key: string): Promise<Answer> {
  return sendRaw(bench.signJanitor({ method: 'HEAD', key }), { method: 'HEAD' })
}
