import { randomBytes } from 'node:crypto'
import type { Cx } from '#domain/cx'
import type { WebhookRow } from '#store/webhooks'

const headersContext = (id: string) => `webhook/${id}/headers`
const secretContext = (id: string) => `webhook/${id}/secret`

/** In the form of Standard Webhooks: 256 random bits, base64, with a prefix that secret scanners know. */
export const newSigningSecret = (): string => `whsec_${randomBytes(32).toString('base64')}`

export const sealSecret = (cx: Pick<Cx, 'box'>, id: string, secret: string): Buffer =>
  cx.box.seal(secretContext(id), secret)

export const sealHeaders = (cx: Pick<Cx, 'box'>, id: string, headers: Readonly<Record<string, string>>): Buffer =>
  cx.box.seal(headersContext(id), JSON.stringify(headers))

export const openHeaders = (
  cx: Pick<Cx, 'box'>,
  hook: Pick<WebhookRow, 'id' | 'headers_sealed'>,
): Record<string, string> =>
  JSON.parse(cx.box.open(headersContext(hook.id), hook.headers_sealed)) as Record<string, string>

export const openSecret = (cx: Pick<Cx, 'box'>, id: string, sealed: Buffer): string =>
  cx.box.open(secretContext(id), sealed)
