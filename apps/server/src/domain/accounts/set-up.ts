import { newId, newSecret } from '@longshore/kit/ids'
import { hashSecret } from '@longshore/kit/secrets'
import type { Cx, Settings } from '#domain/cx'
import { Refusal } from '#domain/refusal'
import { replaceSetupLink, setupLinkIsGood, takeSetupLink } from '#store/setup-links'
import { anyTeam, insertMembership, insertTeam } from '#store/teams'
import { insertUser, userById } from '#store/users'
import { hashPassword } from './passwords.ts'
import { signedIn } from './sign-in.ts'

const setupHours = 24

/** A one-time address that creates the first Team. Undefined when there is a Team: nothing is left to set up. */
export async function makeSetupLink(
  cx: Pick<Cx, 'db'> & { settings: Pick<Settings, 'publicUrl'> },
): Promise<string | undefined> {
  if (await anyTeam(cx.db)) return undefined
  const token = newSecret(24)
  await cx.db.transaction((tx) => replaceSetupLink(tx, hashSecret(token), setupHours))
  // Behind the #: browsers send that part to nobody, so the token stays out of logs on the way.
  return `${cx.settings.publicUrl}/setup#${token}`
}

/** Creates the first Team and its Owner. The link is used up in the same transaction, so it works once. */
export async function setUp(
  cx: Pick<Cx, 'db' | 'tokens'>,
  given: { token: string; team_name: string; subdomain?: string; name: string; email: string; password: string },
) {
  // Looked at before anything is computed: strangers must not be able to keep the password hash busy.
  if (!(await setupLinkIsGood(cx.db, hashSecret(given.token)))) throw new Refusal('setup_not_found')
  const passwordHash = await hashPassword(given.password)
  const [teamId, userId] = [newId(), newId()]
  await cx.db.transaction(async (tx) => {
    if (!(await takeSetupLink(tx, hashSecret(given.token))) || (await anyTeam(tx))) throw new Refusal('setup_not_found')
    await insertTeam(tx, {
      id: teamId,
      name: given.team_name,
      subdomain: given.subdomain ?? subdomainOf(given.team_name),
    })
    await insertUser(tx, { id: userId, email: given.email, name: given.name, passwordHash, primaryTeamId: teamId })
    await insertMembership(tx, { id: newId(), teamId, userId, role: 'owner' })
  })
  const user = await userById(cx.db, userId)
  if (user === undefined) throw new Error('The Owner was made and is not there.')
  return signedIn(cx, user)
}

/** A subdomain made from a name: 3 to 53 of a-z, 0-9 and the dash. */
function subdomainOf(name: string): string {
  const plain = name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, 53)
    .replace(/^-+|-+$/g, '')
  return plain.length >= 3
    ? plain
    : `team-${newSecret(4)
        .toLowerCase()
        .replace(/[^a-z0-9]/g, '0')}`
}
