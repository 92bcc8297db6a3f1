import type { Credential, Endpoint, TokenLevel } from '@longshore/contract/endpoint'
import type { ErrorName } from '@longshore/contract/errors'
import type { Header } from '#http'
import { mint, now, packageToken, userToken } from '#mint'
import type { Cast } from '#cast'
import { packageOf, type Scene } from '#scene'
import { nameOf } from '#endpoints'

/** What a caller shows, and what the contract and the rules of roles and levels say must come of it. */
export interface Presented {
  readonly name: string
  readonly headers: readonly Header[]
  readonly expected: ErrorName | 'through'
}

export const credentialHeaders = ['X-API-KEY', 'X-User-Token', 'X-Package-Token', 'X-Transfer-Token'] as const
type CredentialHeader = (typeof credentialHeaders)[number]

const takes: Readonly<Partial<Record<Credential, readonly CredentialHeader[]>>> = {
  none: [],
  link: [],
  'access-code': [],
  user: ['X-API-KEY', 'X-User-Token'],
  'user-or-access-code': ['X-API-KEY', 'X-User-Token'],
  'user-token': ['X-User-Token'],
  'package-token': ['X-Package-Token'],
  'transfer-token': ['X-Transfer-Token'],
}

const levels: readonly TokenLevel[] = ['manage', 'write', 'read']

/** What a call answers to a user who is not in the Team, or not the one that it names. */
function stranger(endpoint: Endpoint): ErrorName | 'through' {
  if (endpoint.path.includes(':team_id')) return 'team_not_found'
  if (endpoint.path.includes(':api_key_id')) return 'api_key_not_found'
  if (endpoint.path.includes(':tag_id')) return 'tag_not_found'
  if (endpoint.path.includes(':space_id')) return 'teamspace_not_found'
  if (endpoint.path.includes(':custom_webhook_id')) return 'webhook_not_found'
  if (endpoint.path.includes(':cloud_connection_id')) return 'connection_not_found'
  if (endpoint.path.includes(':portal_id')) return 'portal_not_found'
  if (endpoint.path.includes(':form_id')) return 'form_not_found'
  if (endpoint.path.includes(':form_template_id')) return 'form_template_not_found'
  if (endpoint.path.includes(':user_id')) return 'user_not_found'
  return 'through'
}

/** What a call answers to another member of the Team. The key that the calls name is the owner's. */
function member(endpoint: Endpoint, role: 'admin' | 'integration_manager' | 'member'): ErrorName | 'through' {
  if (endpoint.path.includes(':user_id')) return 'user_not_found'
  if (endpoint.roles !== undefined && !endpoint.roles.includes(role)) return 'insufficient_role'
  return endpoint.path.includes(':api_key_id') ? 'insufficient_role' : 'through'
}

/** Every way to present oneself at an endpoint. */
export function presentedAt(endpoint: Endpoint, scene: Scene, other: Scene, cast: Cast): Presented[] {
  const accepted = takes[endpoint.credential] ?? []
  const pkg = packageOf(nameOf(endpoint), scene)
  const link = pkg === scene.sent.pkg ? scene.sent.link : scene.open.link
  const ofLink = (level: TokenLevel) => (level === 'read' ? { lnk: link.id } : {})

  const at = (header: CredentialHeader, expected: ErrorName | 'through'): ErrorName | 'through' => {
    if (accepted.length === 0) return 'through'
    return accepted.includes(header) ? expected : 'credential_missing'
  }
  const byLevel = (level: TokenLevel, otherwise: ErrorName | 'through'): ErrorName | 'through' =>
    endpoint.levels?.includes(level) === false ? 'token_level_insufficient' : otherwise
  const one = (name: string, header: CredentialHeader, value: string, expected: ErrorName | 'through'): Presented => ({
    name: `${name} in ${header}`,
    headers: [[header, value]],
    expected: at(header, expected),
  })
  const key = (name: string, value: string, expected: ErrorName | 'through') => one(name, 'X-API-KEY', value, expected)
  const user = (name: string, value: string, expected: ErrorName | 'through') =>
    one(name, 'X-User-Token', value, expected)
  const token = (name: string, value: string, expected: ErrorName | 'through') =>
    one(name, 'X-Package-Token', value, expected)

  const transfer = (name: string, claims: Readonly<Record<string, unknown>>, expected: ErrorName | 'through') =>
    one(name, 'X-Transfer-Token', mint({ kind: 'transfer', claims }), expected)

  const kinds: readonly { name: string; value: string; home?: CredentialHeader; there?: ErrorName | 'through' }[] = [
    { name: "the owner's API key", value: scene.key.key, home: 'X-API-KEY', there: 'through' },
    { name: "the owner's user token", value: scene.owner.token, home: 'X-User-Token', there: 'through' },
    ...levels.map((level) => ({
      name: `a ${level} token`,
      value: packageToken(pkg, level, ofLink(level)),
      home: 'X-Package-Token' as const,
      there: byLevel(level, 'through'),
    })),
    {
      name: 'a transfer token',
      value: scene.transfer.access_token,
      home: 'X-Transfer-Token',
      there: 'through',
    },
    { name: 'a transfer token without a Team', value: mint({ kind: 'transfer', claims: { sub: scene.transfer.id } }) },
    { name: 'rubbish', value: 'lsk_rubbish.rubbish.rubbish' },
    { name: 'an empty value', value: '' },
  ]
  const everyKindInEveryHeader = kinds.flatMap(({ name, value, home, there }) =>
    credentialHeaders.map((header) =>
      one(name, header, value, header === home && there !== undefined ? there : 'credential_invalid'),
    ),
  )
  const conflict = accepted.length === 0 ? 'through' : 'credentials_conflict'

  return [
    { name: 'nothing', headers: [], expected: accepted.length === 0 ? 'through' : 'credential_missing' },
    ...everyKindInEveryHeader,
    {
      name: 'an API key and a user token',
      headers: [
        ['X-API-KEY', scene.key.key],
        ['X-User-Token', scene.owner.token],
      ],
      expected: conflict,
    },
    {
      name: 'a package token and an API key',
      headers: [
        ['X-Package-Token', pkg.access_token],
        ['X-API-KEY', scene.key.key],
      ],
      expected: conflict,
    },
    ...credentialHeaders.map((header): Presented => {
      const value = { 'X-API-KEY': scene.key.key, 'X-User-Token': scene.owner.token }[header as string]
      const twice: Header = [header, value ?? pkg.access_token]
      return { name: `${header} twice`, headers: [twice, twice], expected: conflict }
    }),
    key('an inactive API key', cast.inactiveKey, 'api_key_inactive'),
    key('a suspended API key', cast.suspendedKey, 'api_key_inactive'),
    key('an expired API key', cast.expiredKey, 'token_expired'),
    key('a deleted API key', cast.deletedKey, 'credential_invalid'),
    key('the API key of a removed member', cast.removedKey, 'credential_invalid'),
    key("another Team's API key", other.key.key, stranger(endpoint)),
    key('the API key of a member who was an admin', cast.demotedKey, member(endpoint, 'member')),
    user('an expired user token', userToken(scene.owner.id, { exp: now() - 1 }), 'token_expired'),
    user('a user token from before the password changed', userToken(scene.owner.id, { ser: 1 }), 'credential_invalid'),
    user('the user token of a removed member', cast.removed.token, stranger(endpoint)),
    user('the user token of a deleted user', cast.goneUserToken, 'credential_invalid'),
    user("another Team's user token", other.owner.token, stranger(endpoint)),
    user("an admin's user token", cast.admin.token, member(endpoint, 'admin')),
    user("an integration manager's user token", cast.manager.token, member(endpoint, 'integration_manager')),
    user("a member's user token", cast.member.token, member(endpoint, 'member')),
    ...levels.flatMap((level) => [
      token(
        `an expired ${level} token`,
        packageToken(pkg, level, { ...ofLink(level), exp: now() - 1 }),
        'token_expired',
      ),
      token(
        `a revoked ${level} token`,
        packageToken(pkg, level, { ...ofLink(level), ser: 7 }),
        byLevel(level, 'token_revoked'),
      ),
      token(
        `a ${level} token of another package`,
        packageToken(cast.neighbour, level, ofLink(level)),
        'package_not_found',
      ),
      token(
        `a ${level} token of another Team's package`,
        packageToken(other.open.pkg, level, ofLink(level)),
        'package_not_found',
      ),
      token(
        `a ${level} token that names another Team`,
        packageToken({ id: pkg.id, team_id: other.teamId }, level, ofLink(level)),
        byLevel(level, 'package_not_found'),
      ),
    ]),
    transfer(
      'an expired transfer token',
      { sub: scene.transfer.id, tm: scene.teamId, exp: now() - 1 },
      'token_expired',
    ),
    transfer("another Team's transfer token", { sub: other.transfer.id, tm: other.teamId }, 'transfer_not_found'),
    transfer(
      'a transfer token that names another Team',
      { sub: scene.transfer.id, tm: other.teamId },
      'transfer_not_found',
    ),
    token(
      'the manage token of a removed member',
      packageToken(pkg, 'manage', { usr: cast.removed.id }),
      byLevel('manage', 'token_revoked'),
    ),
    token(
      'the read token of a blocked link',
      packageToken(pkg, 'read', { lnk: cast.blockedLinks.get(pkg.id) }),
      byLevel('read', 'token_revoked'),
    ),
    token(
      "the read token of another package's link",
      packageToken(pkg, 'read', { lnk: other.sent.link.id }),
      byLevel('read', 'token_revoked'),
    ),
  ]
}
