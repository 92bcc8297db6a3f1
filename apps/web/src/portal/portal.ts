import { ApiError, createClient } from '@longshore/client/client'
import { lookUpPortal, readPortal } from '@longshore/contract/cloud/portals'
import type { ReplyOf } from '@longshore/contract/endpoint'

export type Portal = ReplyOf<typeof lookUpPortal>
export type Field = NonNullable<Portal['custom_metadata']>[number]

export const client = createClient({ baseUrl: location.origin })

export const findPortal = (subdomain: string): Promise<Portal> => client.call(lookUpPortal, { params: { subdomain } })

/** The Portal with its form, for whoever has the code. */
export const enterPortal = (id: string, accessCode: string): Promise<Portal> =>
  client.call(readPortal, { params: { portal_id: id } }, { credential: { accessCode } })

export const isRefusal = (error: unknown, name: string): boolean => error instanceof ApiError && error.error === name

/** The code is kept for this tab, so that a reload does not ask again. */
export const keptCode = {
  get: (id: string) => sessionStorage.getItem(`longshore.code.${id}`) ?? '',
  set: (id: string, code: string) => sessionStorage.setItem(`longshore.code.${id}`, code),
}

/** Where uploads of a Portal are kept under. */
export const placeOfPortal = (id: string) => `portal:${id}`
