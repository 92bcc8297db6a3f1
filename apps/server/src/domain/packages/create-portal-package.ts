import { newId } from '@longshore/kit/ids'
import type { Cx } from '#domain/cx'
import { recordEvent } from '#domain/events/record-event'
import { createOnce, type Once } from '#domain/idempotency'
import { enterPortal, type Visit } from '#domain/portals/enter-portal'
import { downloadPasswordContext } from '#domain/portals/present'
import { invalid, Refusal } from '#domain/refusal'
import type { Tx } from '#platform/db'
import { takeResponse } from '#store/form-responses'
import { insertPackage } from '#store/packages'
import type { PortalRow } from '#store/portals'
import { type TeamRow, teamById } from '#store/teams'
import { checkChunkSize } from './create-team-package.ts'
import { packagePasswordContext, presentPackage } from './present.ts'

export interface PortalPackageFields {
  readonly name: string
  readonly description: string
  readonly sender: string
  readonly form_data_id?: string
  readonly chunk_size?: number
}

/**
 * Opens a package that an outside sender fills. It takes tag, Teamspace, recipients, password and time from its Portal;
 * the sender gets a token that writes and sees none of these.
 */
export async function createPortalPackage(
  cx: Pick<Cx, 'db' | 'box' | 'tokens' | 'limiter' | 'settings'>,
  portalId: string,
  visit: Visit,
  given: PortalPackageFields,
  once?: Once,
) {
  const portal = await enterPortal(cx, portalId, visit)
  const team = await teamById(cx.db, portal.team_id)
  if (team === undefined) throw new Refusal('portal_not_found')
  checkChunkSize(given.chunk_size)
  if (portal.form_fields !== null && given.form_data_id === undefined) throw formUnanswered()

  return createOnce(cx, once, async (tx) => {
    const id = newId()
    const responseId = await takeAnswers(tx, portal, given.form_data_id, id)
    const unlimited = portal.custom_expiry_days === -1 && team.unlimited_storage_allowed
    const pkg = await insertPackage(tx, {
      id,
      teamId: team.id,
      name: given.name,
      description: given.description,
      sender: given.sender,
      recipients: portal.recipients,
      accessLimit: team.download_limit_enabled ? team.download_limit_default : 0,
      passwordSealed: passwordFor(cx, portal, id),
      unlimitedStorage: unlimited,
      expiryDays: unlimited ? null : daysFor(portal, team),
      chunkSize: given.chunk_size ?? 0,
      tagId: portal.tag_name === null ? null : portal.tag_id,
      storageLocation: cx.settings.storageLocation,
      teamspaceId: portal.teamspace_id,
      portal: {
        id: portal.id,
        responseId,
        customExpiry: portal.custom_expiry_days > 0 || unlimited,
      },
    })
    if (pkg === undefined) throw new Error('The package was made and is not there.')
    await recordEvent(tx, 'package.created', pkg)
    const token = { teamId: pkg.team_id, packageId: id, level: 'write', serial: pkg.token_serial } as const
    return { ...presentPackage(pkg), access_token: await cx.tokens.issuePackage(token) }
  })
}

const formUnanswered = () =>
  new Refusal(
    'form_field_required',
    'Answer the form of this Portal first and send the id of the answer as form_data_id.',
    {
      details: [{ field: 'form_data_id', reason: 'is required, because this Portal has a form' }],
    },
  )

async function takeAnswers(
  tx: Tx,
  portal: PortalRow,
  responseId: string | undefined,
  packageId: string,
): Promise<string | null> {
  if (responseId === undefined) return null
  const outcome = await takeResponse(tx, { teamId: portal.team_id, portalId: portal.id, id: responseId }, packageId)
  if (outcome === 'used') throw new Refusal('form_response_used')
  if (outcome === 'unknown') {
    throw invalid('form_data_id', 'must be the id of an answer to the form of this Portal, not older than 24 hours')
  }
  return responseId
}

const daysFor = (portal: PortalRow, team: TeamRow): number =>
  portal.custom_expiry_days > 0 ? portal.custom_expiry_days : team.custom_expiry_default

function passwordFor(cx: Pick<Cx, 'box'>, portal: PortalRow, packageId: string): Buffer | null {
  if (!portal.has_download_password || portal.download_password_sealed === null) return null
  const password = cx.box.open(downloadPasswordContext(portal.id), portal.download_password_sealed)
  return cx.box.seal(packagePasswordContext(packageId), password)
}
