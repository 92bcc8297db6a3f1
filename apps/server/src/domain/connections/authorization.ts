import type { ForeignKeys } from '#blob/foreign-store'
import type { Cx } from '#domain/cx'
import { invalid } from '#domain/refusal'
import { checkUrl } from '#domain/webhooks/rules'

/** Keys of a store as they are sent to us. */
export interface GivenAuthorization {
  readonly endpoint?: string
  readonly region?: string
  readonly bucket: string
  readonly access_key_id: string
  readonly secret_access_key: string
  readonly session_token?: string
  readonly path_style?: boolean
}

// What goes into a host name must be nothing but part of a host name.
const bucketName = /^[A-Za-z0-9](?:[A-Za-z0-9._-]{1,253}[A-Za-z0-9])$/
const regionName = /^[a-z0-9](?:[a-z0-9-]{0,62}[a-z0-9])?$/
// Spaces and line breaks would end up in a header.
const keyText = /^[\x21-\x7e]+$/

/**
 * What the schema cannot say of the keys of a store, and whether we may talk to it. Answers them in the form that they
 * are used in; the network is asked, so no transaction.
 */
export async function checkAuthorization(cx: Pick<Cx, 'hooks'>, given: GivenAuthorization): Promise<ForeignKeys> {
  const region = given.region || 'us-east-1'
  if (!regionName.test(region)) throw invalid('authorization/region', 'must be the name of a region')
  if (!bucketName.test(given.bucket) || given.bucket.includes('..')) {
    throw invalid('authorization/bucket', 'must be the name of a bucket')
  }
  for (const field of ['access_key_id', 'secret_access_key', 'session_token'] as const) {
    if (given[field] && !keyText.test(given[field])) throw invalid(`authorization/${field}`, 'must be plain ASCII')
  }
  const url = endpointOf(given, region)
  const refused = await cx.hooks.whyRefused(url)
  if (refused !== undefined) throw invalid('authorization/endpoint', refused)
  return {
    endpoint: url.origin,
    region,
    bucket: given.bucket,
    accessKeyId: given.access_key_id,
    secretAccessKey: given.secret_access_key,
    ...(given.session_token ? { sessionToken: given.session_token } : {}),
    // Amazon wants the bucket in the host name; nearly all others can do without, and many cannot do with it.
    pathStyle: given.path_style ?? Boolean(given.endpoint),
  }
}

function endpointOf({ endpoint }: GivenAuthorization, region: string): URL {
  if (!endpoint) return new URL(`https://s3.${region}.amazonaws.com`)
  const url = checkUrl(endpoint, 'authorization/endpoint')
  if (url.pathname !== '/' || url.search !== '') {
    throw invalid('authorization/endpoint', 'must be an address alone; the bucket has a field of its own')
  }
  return url
}

const connectionContext = (id: string): string => `connection/${id}/authorization`
const transferContext = (id: string): string => `transfer/${id}/authorization`

export const sealConnectionKeys = (cx: Pick<Cx, 'box'>, id: string, keys: ForeignKeys): Buffer =>
  cx.box.seal(connectionContext(id), JSON.stringify(keys))

export const openConnectionKeys = (cx: Pick<Cx, 'box'>, id: string, sealed: Buffer): ForeignKeys =>
  JSON.parse(cx.box.open(connectionContext(id), sealed)) as ForeignKeys

export const sealTransferKeys = (cx: Pick<Cx, 'box'>, id: string, keys: ForeignKeys): Buffer =>
  cx.box.seal(transferContext(id), JSON.stringify(keys))

export const openTransferKeys = (cx: Pick<Cx, 'box'>, id: string, sealed: Buffer): ForeignKeys =>
  JSON.parse(cx.box.open(transferContext(id), sealed)) as ForeignKeys
