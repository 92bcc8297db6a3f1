import { newId, newSecret } from '@longshore/kit/ids'
import { hashSecret } from '@longshore/kit/secrets'
import type { Cx } from '#domain/cx'
import type { NewLink } from '#store/links'

export const linkPasswordContext = (id: string): string => `link/${id}/password`
const linkSecretContext = (id: string): string => `link/${id}/secret`

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
