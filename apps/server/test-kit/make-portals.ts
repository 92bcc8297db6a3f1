import { newId } from '@longshore/kit/ids'
import type { PackageCaller } from '#domain/access/caller'
import { identifyByPackageToken } from '#domain/access/identify'
import type { Cx } from '#domain/cx'
import { answerForm, type GivenAnswers } from '#domain/forms/answer-form'
import { createForm, type GivenForm } from '#domain/forms/manage-forms'
import { createPortalPackage, type PortalPackageFields } from '#domain/packages/create-portal-package'
import { createPortal } from '#domain/portals/manage-portals'
import type { GivenPortal } from '#domain/portals/portal-fields'
import { sql } from '#platform/db'
import { type MadeTeam, makeTeam } from './make.ts'

export interface MadePortal {
  readonly id: string
  readonly teamId: string
  readonly team: MadeTeam
  readonly subdomain: string
  readonly accessCode: string | undefined
}

export const someSubdomain = (): string => `portal-${newId().slice(-12)}`

export interface PortalWishes extends Partial<GivenPortal> {
  readonly team?: MadeTeam
  readonly form?: Partial<GivenForm>
}

/** An open Portal, as its calls make it. */
export async function makePortal(cx: Cx, { team: given, form, ...fields }: PortalWishes = {}): Promise<MadePortal> {
  const team = given ?? (await makeTeam(cx))
  const wanted = { name: 'Dailies', subdomain: someSubdomain(), active: true, ...fields }
  const { id, subdomain } = await createPortal(cx, team.owner.caller, team.id, wanted)
  if (form !== undefined) {
    await createForm(cx, team.owner.caller, id, { name: 'About the film', delivery_formats: [], ...form })
  }
  return { id, teamId: team.id, team, subdomain, accessCode: fields.access_code }
}

let addresses = 0

/** Comes from another address every time, so that tries are counted by the Portal alone. */
export const visitTo = ({ accessCode }: { accessCode?: string | undefined } = {}) => ({
  accessCode,
  address: `10.${(++addresses >> 16) & 255}.${(addresses >> 8) & 255}.${addresses & 255}`,
})

export interface MadePortalPackage {
  readonly id: string
  readonly teamId: string
  /** Whoever holds the write token; so called because the kit's other makers fill packages by it. */
  readonly manager: PackageCaller
}

export const packageFields: PortalPackageFields = { name: 'Day 1', description: '', sender: 'sender@example.test' }

export async function makePortalPackage(
  cx: Cx,
  portal: MadePortal,
  fields: Partial<PortalPackageFields> = {},
): Promise<MadePortalPackage> {
  const made = await createPortalPackage(cx, portal.id, visitTo(portal), { ...packageFields, ...fields })
  return { id: made.id, teamId: portal.teamId, manager: await identifyByPackageToken(cx, made.access_token) }
}

export const answer = (cx: Cx, portal: MadePortal, answers: GivenAnswers) =>
  answerForm(cx, { kind: 'anonymous' }, portal.id, visitTo(portal), answers)

/** A webhook row, as good as any for being attached. */
export async function makeWebhook(cx: Cx, teamId: string): Promise<string> {
  const id = newId()
  await cx.db.transaction((tx) =>
    tx.run(sql`
      insert into webhooks (team_id, id, active, events, method, url, headers_sealed, body_extras, secret_sealed)
      values (${teamId}, ${id}, true, '{package.finalized}', 'POST', 'https://example.test/', '', '{}', '')
    `),
  )
  return id
}
