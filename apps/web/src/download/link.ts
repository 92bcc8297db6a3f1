import { ApiError, createClient } from '@longshore/client/client'
import { fileUrl, waybill } from '@longshore/contract/cloud/files'
import { lookUpLink } from '@longshore/contract/cloud/links'
import type { ReplyOf } from '@longshore/contract/endpoint'

export type OpenedLink = ReplyOf<typeof lookUpLink>

const client = createClient({ baseUrl: location.origin })

/** Which link this page is. */
export interface LinkAddress {
  readonly id: string
  readonly secret: string
}

/**
 * Takes the secret out of the address bar, where it would be seen, copied and kept; this tab remembers it, so that a
 * reload still works. To be called before anything else happens on the page.
 */
export function takeAddress(): LinkAddress {
  const id = location.pathname.split('/').at(-1) ?? ''
  const given = new URLSearchParams(location.search).get('secret')
  const kept = `longshore.link.${id}`
  if (given !== null) sessionStorage.setItem(kept, given)
  history.replaceState(null, '', location.pathname)
  return { id, secret: given ?? sessionStorage.getItem(kept) ?? '' }
}

/** A page that is loaded anew goes on with its access: a link for one must not be used up by a reload. */
export async function openLink({ id, secret }: LinkAddress, linkPassword: string | undefined): Promise<OpenedLink> {
  const credential = linkPassword === undefined ? undefined : { linkPassword }
  const kept = `longshore.read.${id}`
  const earlier_token = sessionStorage.getItem(kept) ?? ''
  const opened = await client.call(
    lookUpLink,
    { params: { link_id: id }, query: { secret, earlier_token } },
    { credential },
  )
  sessionStorage.setItem(kept, opened.package_token)
  return opened
}

/** A signed address of a file, or of an archive of all. The first one counts as an access of the link. */
export async function addressOf(link: OpenedLink, fileId: string): Promise<string> {
  const params = { package_id: link.package_id, file_id: fileId }
  return (await client.call(fileUrl, { params }, by(link))).url
}

export const waybillOf = (link: OpenedLink) =>
  client.call(waybill, { params: { package_id: link.package_id } }, by(link))

const by = (link: OpenedLink) => ({ credential: { packageToken: link.package_token } }) as const

export const isRefusal = (error: unknown, ...names: readonly string[]): error is ApiError =>
  error instanceof ApiError && names.includes(error.error)
