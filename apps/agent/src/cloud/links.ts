import type { Client } from '@longshore/client/client'
import { lookUpLink } from '@longshore/contract/cloud/links'
import type { ReplyOf } from '@longshore/contract/endpoint'

export interface LinkAccess {
  readonly id: string
  readonly linkSecret: string
  readonly password?: string
  /** What was counted for it is not counted again. */
  readonly earlierToken?: string
}

/** Opens a download link: what its package is, and a token to read it. */
export const openLink = (
  client: Client,
  { id, linkSecret, password, earlierToken }: LinkAccess,
  signal: AbortSignal,
): Promise<ReplyOf<typeof lookUpLink>> =>
  client.call(
    lookUpLink,
    {
      params: { link_id: id },
      query: { secret: linkSecret, ...(earlierToken === undefined ? {} : { earlier_token: earlierToken }) },
    },
    { credential: password === undefined ? undefined : { linkPassword: password }, signal },
  )
