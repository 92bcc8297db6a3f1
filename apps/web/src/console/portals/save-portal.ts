import { createForm, updateForm } from '@longshore/contract/cloud/forms'
import { createPortal, updatePortal } from '@longshore/contract/cloud/portals'
import { asUser } from '../session/api.ts'
import { type Form, formBodyOf, portalBodyOf, type PortalDraft } from './draft.ts'
import type { Portal } from './queries.ts'

interface Saved {
  readonly portal: Portal | undefined
  readonly form: Form | undefined
}

/** Writes a Portal and its form. A form that is switched off is kept, so that it can be switched on again. */
export async function savePortal(teamId: string, known: Saved, draft: PortalDraft): Promise<Portal> {
  const body = portalBodyOf(draft)
  const portal =
    known.portal === undefined
      ? await asUser(createPortal, { params: { team_id: teamId }, body })
      : await asUser(updatePortal, { params: { portal_id: known.portal.id }, body })
  const form = formBodyOf(draft)
  if (known.form !== undefined) {
    await asUser(updateForm, { params: { form_id: known.form.id }, body: { ...form, disabled: !draft.hasForm } })
  } else if (draft.hasForm) {
    await asUser(createForm, { params: { portal_id: portal.id }, body: form })
  }
  return portal
}
