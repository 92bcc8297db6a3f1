import { createApiKey, deleteApiKey } from '@longshore/contract/cloud/api-keys'
import { deleteLink } from '@longshore/contract/cloud/links'
import { use } from '#calls'
import { changeRole, makeMember, type Member, removeMember, removeUser } from '#members'
import { suspendKey } from '#operator'
import type { Scene } from '#scene'
import { makeLink, makePackage, managing, type Package } from '#walk'

/** Everyone beside the owner who may come to the door of a scene. */
export interface Cast {
  readonly admin: Member
  readonly manager: Member
  readonly member: Member
  readonly removed: Member
  readonly removedKey: string
  readonly goneUserToken: string
  readonly inactiveKey: string
  readonly suspendedKey: string
  readonly expiredKey: string
  readonly deletedKey: string
  /** Made by an admin who is a plain member now. */
  readonly demotedKey: string
  readonly neighbour: Package
  /** By package: a link of it that is blocked. */
  readonly blockedLinks: ReadonlyMap<string, string>
}

export async function makeCast(scene: Scene): Promise<Cast> {
  const { teamId } = scene
  const keyOf = (who: Member, fields: { state?: 'active' | 'inactive'; expiry?: string } = {}) =>
    use(
      createApiKey,
      { params: { team_id: teamId }, body: { state: 'active', ...fields } },
      { as: { userToken: who.token } },
    )
  const [admin, manager, member, removed, gone, demoted] = await Promise.all([
    makeMember('admin', teamId),
    makeMember('integration_manager', teamId),
    makeMember('member', teamId),
    makeMember('owner', teamId),
    makeMember('owner', teamId),
    makeMember('admin', teamId),
  ])
  const [removedKey, demotedKey, suspended, deleted] = await Promise.all([
    keyOf(removed),
    keyOf(demoted),
    keyOf(scene.owner),
    keyOf(scene.owner),
  ])
  await removeMember(removed)
  await changeRole(demoted, 'member')
  await removeUser(gone)
  await suspendKey(suspended.id)
  await use(deleteApiKey, { params: { api_key_id: deleted.id } }, { as: { userToken: scene.owner.token } })
  return {
    admin,
    manager,
    member,
    removed,
    removedKey: removedKey.key,
    goneUserToken: gone.token,
    inactiveKey: (await keyOf(scene.owner, { state: 'inactive' })).key,
    suspendedKey: suspended.key,
    expiredKey: (await keyOf(scene.owner, { expiry: new Date(Date.now() - 1_000).toISOString() })).key,
    deletedKey: deleted.key,
    demotedKey: demotedKey.key,
    neighbour: await makePackage({}, { userToken: scene.owner.token }, teamId),
    blockedLinks: new Map([await blockedLink(scene.open.pkg), await blockedLink(scene.sent.pkg)]),
  }
}

async function blockedLink(pkg: Package): Promise<[string, string]> {
  const link = await makeLink(pkg)
  await use(deleteLink, { params: { package_id: pkg.id, link_id: link.id } }, managing(pkg))
  return [pkg.id, link.id]
}
