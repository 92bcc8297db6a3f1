import type { Role, TokenLevel } from '@longshore/contract/endpoint'
import type { Cx } from '#domain/cx'
import { Refusal } from '#domain/refusal'
import { type HeldPackageRow, heldPackage } from '#store/packages'
import { memberOfTeam } from '#store/teams'
import { type UserRow, userById } from '#store/users'
import type { Caller, PackageCaller, UserCaller } from './caller.ts'

/** What somebody may do in a Team, by role. */
const teamActions = {
  'api-key.create': ['owner', 'admin', 'integration_manager'],
  'api-key.list': ['owner', 'admin', 'integration_manager'],
  'api-key.change': ['owner', 'admin', 'integration_manager'],
  'package.see': ['owner', 'admin', 'integration_manager', 'member'],
  'package.send': ['owner', 'admin', 'integration_manager', 'member'],
  'package.archive-many': ['owner', 'admin'],
  'tag.list': ['owner', 'admin', 'integration_manager', 'member'],
  'tag.create': ['owner', 'admin', 'integration_manager', 'member'],
  'tag.delete': ['owner', 'admin', 'integration_manager'],
  'team.read-settings': ['owner', 'admin', 'integration_manager', 'member'],
  'team.change-settings': ['owner', 'admin'],
  'team.read-usage': ['owner', 'admin', 'integration_manager'],
  'member.manage': ['owner', 'admin'],
  'space.manage': ['owner', 'admin'],
  'webhook.manage': ['owner', 'admin', 'integration_manager'],
  'connection.manage': ['owner', 'admin', 'integration_manager'],
  'portal.see': ['owner', 'admin', 'integration_manager', 'member'],
  'portal.manage': ['owner', 'admin'],
  'form.manage': ['owner', 'admin'],
  'form-template.list': ['owner', 'admin', 'integration_manager', 'member'],
  'team.follow': ['owner', 'admin', 'integration_manager', 'member'],
} as const satisfies Record<string, readonly Role[]>

/** What somebody may do with a package, by the level of their token. */
const packageActions = {
  'package.read': ['manage', 'write', 'read'],
  'package.follow': ['manage', 'write', 'read'],
  'package.update': ['manage', 'write'],
  'package.set-expiry': ['manage'],
  'package.delete': ['manage'],
  'package.archive': ['manage'],
  'package.fill': ['manage', 'write'],
  'package.metadata': ['manage'],
  'link.manage': ['manage'],
  'file.list': ['manage', 'write', 'read'],
  'file.download': ['read'],
  'transfer.start': ['manage', 'read'],
  'transfer.import': ['manage'],
  'transfer.list': ['manage'],
} as const satisfies Record<string, readonly TokenLevel[]>

// Each of them is an access of the link that a read token came from.
const usesUpLink: ReadonlySet<PackageAction> = new Set(['file.download', 'transfer.start'])

// Each of them adds files, or closes the package to them.
const fills: ReadonlySet<PackageAction> = new Set(['package.fill', 'transfer.import'])

export type TeamAction = keyof typeof teamActions
export type PackageAction = keyof typeof packageActions

export interface Member {
  readonly teamId: string
  readonly userId: string
  readonly membershipId: string
  readonly role: Role
  readonly email: string
}

export interface HeldPackage {
  readonly pkg: HeldPackageRow
  readonly caller: PackageCaller
}

/**
 * The one place that says who may do what to which object.
 *
 * A Team or package that is not the caller's does not exist for them. What the caller may see but not do is refused by
 * role or level. Everything that can end a credential early is checked here, against the rows of this moment.
 */
export async function authorizeInTeam(
  cx: Pick<Cx, 'db'>,
  caller: Caller,
  action: TeamAction,
  teamId: string,
): Promise<Member> {
  const member = await memberFor(cx, caller, teamId)
  if (member === undefined) throw new Refusal('team_not_found', `There is no Team '${teamId}' for this credential.`)
  if (!(teamActions[action] as readonly Role[]).includes(member.role)) {
    throw new Refusal('insufficient_role', `The role ${member.role} does not allow this. Ask an Owner of the Team.`)
  }
  return member
}

/**
 * The same for things that a path names by their own id. A thing of another Team is not found, exactly like one that
 * does not exist.
 */
export async function authorizeForThing<Thing extends { readonly team_id: string }>(
  cx: Pick<Cx, 'db'>,
  caller: Caller,
  action: TeamAction,
  thing: Thing | undefined,
  notFound: Refusal,
): Promise<{ readonly thing: Thing; readonly member: Member }> {
  if (thing === undefined) {
    if (caller.kind === 'user-token') await authorizeAsUser(cx, caller)
    throw notFound
  }
  try {
    return { thing, member: await authorizeInTeam(cx, caller, action, thing.team_id) }
  } catch (error) {
    throw error instanceof Refusal && error.code === 'team_not_found' ? notFound : error
  }
}

async function memberFor(cx: Pick<Cx, 'db'>, caller: Caller, teamId: string): Promise<Member | undefined> {
  if (caller.kind === 'api-key') return caller.teamId === teamId ? caller : undefined
  if (caller.kind !== 'user-token') throw new Refusal('credential_missing')
  const row = await memberOfTeam(cx.db, teamId, caller.userId)
  if (row === undefined) {
    // Not a member, or no user any more: the second is the credential's fault, not the Team's.
    await authorizeAsUser(cx, caller)
    return undefined
  }
  if (!stillHolds(caller, row)) throw new Refusal('credential_invalid')
  return { teamId, userId: row.user_id, membershipId: row.membership_id, role: row.role, email: row.email }
}

const stillHolds = (token: UserCaller, user: Pick<UserRow, 'token_serial' | 'surviving_token'>): boolean =>
  token.serial === user.token_serial || token.tokenId === user.surviving_token

/** The user behind a credential, for calls about the user alone. */
export async function authorizeAsUser(cx: Pick<Cx, 'db'>, caller: Caller): Promise<UserRow> {
  if (caller.kind !== 'user-token' && caller.kind !== 'api-key') throw new Refusal('credential_missing')
  const user = await userById(cx.db, caller.userId)
  if (user === undefined) throw new Refusal('credential_invalid')
  if (caller.kind === 'user-token' && !stillHolds(caller, user)) throw new Refusal('credential_invalid')
  return user
}

export async function authorizeForPackage(
  cx: Pick<Cx, 'db'>,
  caller: Caller,
  action: PackageAction,
  packageId: string,
): Promise<HeldPackage> {
  if (caller.kind !== 'package-token') throw new Refusal('credential_missing')
  const notFound = () => new Refusal('package_not_found', `There is no package '${packageId}' for this token.`)
  if (caller.packageId !== packageId) throw notFound()
  if (!(packageActions[action] as readonly TokenLevel[]).includes(caller.level)) {
    throw new Refusal('token_level_insufficient', `A ${caller.level} token does not allow this call.`)
  }
  const pkg = await heldPackage(cx.db, caller)
  if (pkg === undefined) throw notFound()
  if (pkg.token_serial !== caller.serial || !pkg.holder_present || !pkg.link_open) throw new Refusal('token_revoked')
  // Who was let in before the last access was used goes on; who only looked does not get in any more.
  if (pkg.link_used_up) throw new Refusal(usesUpLink.has(action) ? 'link_locked' : 'token_revoked')
  if (fills.has(action) && caller.level === 'manage' && pkg.portal_id !== null) {
    throw new Refusal('token_level_insufficient', 'Files of a Portal package are added by its sender alone.')
  }
  if (action === 'package.update' && caller.level === 'write' && pkg.state === 'finalized') {
    throw new Refusal('token_revoked', `Package '${packageId}' is finalized: its write token ended with that.`)
  }
  // Who holds a link sees an ended package as ended, whatever they ask.
  if (caller.level === 'read' && (pkg.state === 'expired' || pkg.state === 'archived')) throw packageExpired(packageId)
  return { pkg, caller }
}

export const packageExpired = (id: string): Refusal =>
  new Refusal('package_expired', `Package '${id}' has expired. Ask its sender to send it again.`)
