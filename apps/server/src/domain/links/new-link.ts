import { newId, newSecret } from '@longshore/kit/ids'
import { hashSecret } from '@longshore/kit/secrets'
import type { Cx } from '#domain/cx'
import type { NewLink } from '#store/links'

export const linkPasswordContext = (id: string): string => `link/${id}/password`
const linkSecretContext = (id: string): string => `link/${id}/secret`

/** The secret of a link, for the mail that carries it. */
export const openLinkSecret = (cx: Pick<Cx, 'box'>, link: { readonly id: string; readonly secret_sealed: Buffer }) =>
  cx.box.open(linkSecretContext(link.id), link.secret_sealed)

/** The address to share. */
export const linkUrl = (cx: Pick<Cx, 'settings'>, id: string, secret: string): string =>
  `${cx.settings.downloadUrl}/${id}?secret=${secret}`

export interface LinkTerms {
  readonly email: string
  readonly password: string
  readonly accessLimit: number
  readonly expiry: Date | null
  readonly active: boolean
}

/** A link with a fresh secret, ready to be stored. The secret itself is in this answer and, sealed, in the row. */
export function newLink(cx: Pick<Cx, 'box'>, terms: LinkTerms): { row: NewLink; secret: string } {
  const id = newId()
  const secret = newSecret(16)
  return {
    secret,
    row: {
      id,
      email: terms.email,
      secretHash: hashSecret(secret),
      secretSealed: cx.box.seal(linkSecretContext(id), secret),
      passwordSealed: terms.password === '' ? null : cx.box.seal(linkPasswordContext(id), terms.password),
      expiry: terms.expiry,
      accessLimit: terms.accessLimit,
      active: terms.active,
    },
  }
}
