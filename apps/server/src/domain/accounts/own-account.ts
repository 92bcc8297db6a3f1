import { authorizeAsUser } from '#domain/access/authorize'
import type { Caller } from '#domain/access/caller'
import { countGuess } from '#domain/access/guesses'
import type { Cx } from '#domain/cx'
import { Refusal } from '#domain/refusal'
import type { UserRow } from '#store/users'
import { isPassword } from './passwords.ts'

/** The caller's own account. Somebody else's does not exist for them. */
export async function ownAccount(cx: Pick<Cx, 'db'>, caller: Caller, userId: string): Promise<UserRow> {
  const user = await authorizeAsUser(cx, caller)
  if (user.id !== userId) throw new Refusal('user_not_found', `There is no user '${userId}' for this credential.`)
  return user
}

/** Asks for the password again before something that a stolen token must not be able to do. */
export async function confirmPassword(
  cx: Pick<Cx, 'limiter'>,
  user: UserRow,
  password: string,
  address: string,
): Promise<void> {
  await countGuess(cx, `password:${user.id}`, address)
  if (!(await isPassword(password, user.password_hash))) throw new Refusal('password_wrong')
}
