import { encode } from '#blob/sigv4'
import type { Bench, MadeObject } from '#blob/self-test/bench'
import { type Outcome, worst } from '#blob/self-test/finding'
import { sendRaw } from '#blob/self-test/send-raw'
import { headersText, spellings, type Trick, useProxy } from '#blob/self-test/trick'

/** Uploads that fetch somebody else's bytes instead of bringing their own. */
export const copyingTricks: readonly Trick[] = (['victim', 'ours'] as const).flatMap((whose) => {
  const source = whose === 'victim' ? 'an object that another team uploaded' : 'an object that the server wrote'
  const remedy = `${useProxy} Also deny s3:GetObject to the upload identity.`
  return [
    {
      id: `copy-${whose}-by-put`,
      trick: `x-amz-copy-source on a single PUT, of ${source}`,
      remedy,
      attempt: (bench) => copyByPut(bench, bench[whose]),
    },
    {
      id: `copy-${whose}-by-part`,
      trick: `x-amz-copy-source on a part, of ${source}`,
      remedy,
      attempt: (bench) => copyByPart(bench, bench[whose], undefined),
    },
    {
      id: `copy-${whose}-range-by-part`,
      trick: `x-amz-copy-source and x-amz-copy-source-range on a part, of ${source}`,
      remedy,
      attempt: (bench) => copyByPart(bench, bench[whose], { start: 8, end: 39 }),
    },
  ] satisfies Trick[]
})

async function copyByPut(bench: Bench, source: MadeObject): Promise<Outcome> {
  const ways = spellings('x-amz-copy-source', pathOf(bench, source)).flatMap((headers) =>
    // The sender chose the length when asking for the URL, so it may be nothing, as a copy wants it.
    [Buffer.alloc(0), Buffer.alloc(source.bytes.length, 'own')].map((body) => ({ headers, body })),
  )
  const outcomes = ways.map(async ({ headers, body }) => {
    const key = bench.freshKey()
    const { said } = await sendRaw(bench.blueprints.put(key, body.length).url, { method: 'PUT', headers, body })
    return copied(await bench.stored(key), source.bytes, `${headersText(headers)}: ${said}`)
  })
  return worst(await Promise.all(outcomes))
}

interface Range {
  readonly start: number
  readonly end: number
}

async function copyByPart(bench: Bench, source: MadeObject, range: Range | undefined): Promise<Outcome> {
  const wanted = range === undefined ? source.bytes : source.bytes.subarray(range.start, range.end + 1)
  const ranges =
    range === undefined ? [{}, {}] : spellings('x-amz-copy-source-range', `bytes=${range.start}-${range.end}`)
  const ways = spellings('x-amz-copy-source', pathOf(bench, source)).flatMap((copy, index) =>
    [undefined, 0, wanted.length].map((size) => ({ headers: { ...copy, ...ranges[index] }, size })),
  )
  const outcomes = ways.map(async ({ headers, size }) => {
    const key = bench.freshKey()
    const { uploadId = '' } = await bench.beginUpload(key)
    const [part] = bench.blueprints.parts({ key, uploadId, chunkSize: 2 ** 20, size }, 0, 1)
    const body = Buffer.alloc(size ?? 0, 'own')
    const { said } = await sendRaw(part?.url ?? '', { method: 'PUT', headers, body })
    const made = await bench.finish(key, uploadId)
    return copied(made ? await bench.stored(key) : undefined, wanted, `${headersText(headers)}: ${said}`)
  })
  return worst(await Promise.all(outcomes))
}

function copied(found: Buffer | undefined, wanted: Buffer, seen: string): Outcome {
  if (found === undefined) return { verdict: 'refused', detail: `${seen}; nothing was stored` }
  if (found.equals(wanted)) return { verdict: 'open', detail: `${seen}; the other object's bytes were stored` }
  return { verdict: 'harmless', detail: `${seen}; the header did nothing: only the sender's own bytes were stored` }
}

function pathOf(bench: Bench, { key }: MadeObject): string {
  return `/${bench.config.bucket}/${key.split('/').map(encode).join('/')}`
}
