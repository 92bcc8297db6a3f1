import { createHmac, hash } from 'node:crypto'
import type { Ground } from '#ground'

export interface StoredObject {
  readonly key: string
  readonly size: number
}

/** Every object under a prefix, as the store itself lists them to the janitor. */
export async function objectsIn(ground: Ground, prefix = ''): Promise<StoredObject[]> {
  const objects: StoredObject[] = []
  let after = ''
  while (true) {
    const xml = await list(ground, { 'list-type': '2', prefix, 'start-after': after })
    for (const [, entry = ''] of xml.matchAll(/<Contents>(.*?)<\/Contents>/gs)) {
      objects.push({ key: textOf(entry, 'Key'), size: Number(textOf(entry, 'Size')) })
    }
    if (textOf(xml, 'IsTruncated') !== 'true') return objects
    after = objects.at(-1)?.key ?? ''
  }
}

/** Keys of every upload under a prefix that was begun and neither completed nor aborted. At most a thousand. */
export async function openUploadsIn(ground: Ground, prefix = ''): Promise<string[]> {
  const xml = await list(ground, { uploads: '', prefix })
  return [...xml.matchAll(/<Upload>(.*?)<\/Upload>/gs)].map(([, entry = '']) => textOf(entry, 'Key'))
}

/** Where a package's objects lie. */
export const prefixOf = (teamId: string, packageId: string): string =>
  `${hash('sha256', packageId).slice(0, 2)}/${teamId}/${packageId}/`

const textOf = (xml: string, tag: string) => new RegExp(`<${tag}>([^<]*)</${tag}>`).exec(xml)?.[1] ?? ''

/** A GET on the bucket, signed by hand: tests outside of the server know no storage library. */
async function list(ground: Ground, query: Readonly<Record<string, string>>): Promise<string> {
  const { endpoint, region, janitor } = ground.stack.s3
  const time = new Date().toISOString().replace(/[-:]|\.\d{3}/g, '')
  const scope = `${time.slice(0, 8)}/${region}/s3/aws4_request`
  const search = Object.entries(query)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`)
    .join('&')
  const headers = { host: new URL(endpoint).host, 'x-amz-content-sha256': 'UNSIGNED-PAYLOAD', 'x-amz-date': time }
  const names = Object.keys(headers).join(';')
  const lines = Object.entries(headers).map(([name, value]) => `${name}:${value}\n`)
  const request = ['GET', `/${ground.bucket}`, search, lines.join(''), names, 'UNSIGNED-PAYLOAD'].join('\n')
  let key: string | Buffer = `AWS4${janitor.secret_key}`
  for (const word of scope.split('/')) key = createHmac('sha256', key).update(word).digest()
  const signature = createHmac('sha256', key)
    .update(['AWS4-HMAC-SHA256', time, scope, hash('sha256', request)].join('\n'))
    .digest('hex')
  const authorization = `AWS4-HMAC-SHA256 Credential=${janitor.access_key}/${scope}, SignedHeaders=${names}, Signature=${signature}`
  const reply = await fetch(`${endpoint}/${ground.bucket}?${search}`, { headers: { ...headers, authorization } })
  const xml = await reply.text()
  if (!reply.ok) throw new Error(`The store answered ${reply.status}: ${xml}`)
  return xml
}
