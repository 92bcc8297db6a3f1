import { minChunkSize } from '@longshore/contract/limits'
import { newId } from '@longshore/kit/ids'
import { authorizeInTeam, type Member } from '#domain/access/authorize'
import type { Caller } from '#domain/access/caller'
import { viewerOf } from '#domain/access/visible'
import type { Cx } from '#domain/cx'
import { recordEvent } from '#domain/events/record-event'
import { createOnce, type Once } from '#domain/idempotency'
import { invalid, Refusal } from '#domain/refusal'
import { insertPackage } from '#store/packages'
import { spaceById } from '#store/spaces'
import { type TeamRow, teamById } from '#store/teams'
import { seesPackagesOf } from '#store/visibility'
import { applyTag, type TagObject } from './apply-tag.ts'
import { packagePasswordContext, presentManagedPackage } from './present.ts'

export interface TeamPackageFields {
  readonly name: string
  readonly description: string
  readonly recipients: readonly string[]
  readonly access_limit?: number
  readonly password?: string
  readonly unlimited_storage?: boolean
  readonly chunk_size?: number
  readonly tag?: TagObject
  readonly teamspace_id?: string
}

/** Opens a package that the Team sends. Its creation is announced in the same transaction. */
export async function createTeamPackage(
  cx: Pick<Cx, 'db' | 'box' | 'tokens' | 'settings'>,
  caller: Caller,
  teamId: string,
  given: TeamPackageFields,
  once?: Once,
) {
  const member = await authorizeInTeam(cx, caller, 'package.send', teamId)
  const team = await teamById(cx.db, teamId)
  if (team === undefined) throw new Refusal('team_not_found')
  checkRecipients(team, given.recipients)
  if (given.unlimited_storage === true && !team.unlimited_storage_allowed) {
    throw invalid('unlimited_storage', 'this Team does not keep packages without end')
  }
  checkChunkSize(given.chunk_size)
  await checkTeamspace(cx, member, given.teamspace_id)

  return createOnce(cx, once, async (tx) => {
    const id = newId()
    const pkg = await insertPackage(tx, {
      id,
      teamId,
      name: given.name,
      description: given.description,
      sender: member.email,
      recipients: given.recipients,
      accessLimit: given.access_limit ?? (team.download_limit_enabled ? team.download_limit_default : 0),
      passwordSealed: given.password ? cx.box.seal(packagePasswordContext(id), given.password) : null,
      unlimitedStorage: given.unlimited_storage === true,
      expiryDays: given.unlimited_storage === true ? null : team.custom_expiry_default,
      chunkSize: given.chunk_size ?? 0,
      tagId: await applyTag(tx, teamId, given.tag),
      storageLocation: cx.settings.storageLocation,
      teamspaceId: given.teamspace_id ?? null,
    })
    if (pkg === undefined) throw new Error('The package was made and is not there.')
    await recordEvent(tx, 'package.created', pkg)
    return presentManagedPackage(cx, pkg, member.userId)
  })
}

/** One of this Team, and one that the sender sees: nobody sends a package out of their own sight. */
async function checkTeamspace(cx: Pick<Cx, 'db'>, member: Member, id: string | undefined): Promise<void> {
  if (id === undefined) return
  const { teamId } = member
  const space = await spaceById(cx.db, id)
  const place = { teamId, teamspaceId: id, portalId: null }
  if (space?.team_id !== teamId || !(await seesPackagesOf(cx.db, viewerOf(member), place))) {
    throw invalid('teamspace_id', 'must be a Teamspace of this Team that you belong to')
  }
}

export function checkRecipients(team: TeamRow, recipients: readonly string[], field = 'recipients'): void {
  if (recipients.length > team.max_email_recipients) {
    throw invalid(field, `must be at most ${team.max_email_recipients} in this Team`)
  }
}

export function checkChunkSize(chunkSize: number | undefined): void {
  if (chunkSize !== undefined && chunkSize !== 0 && chunkSize < minChunkSize) {
    throw invalid('chunk_size', `must be at least ${minChunkSize} bytes, or 0 for the default`)
  }
}
