import type { Client } from '@longshore/client/client'
import { lookUpLink } from '@longshore/contract/cloud/links'
import type { ReplyOf } from '@longshore/contract/endpoint'

export interface LinkAccess {
  readonly id: string
  readonly linkSecret: string
  readonly password?: string
}

/** Opens a download link: what its package is, and a token to read it. */
export const openLink = (
  client: Client,
  { id, linkSecret, password }: LinkAccess,
  signal: AbortSignal,
): Promise<ReplyOf<typeof lookUpLink>> =>
  client.call(
    lookUpLink,
    { params: { link_id: id }, query: { secret: linkSecret } },
    { credential: password === undefined ? undefined : { linkPassword: password }, signal },
  )
