import { countGuess } from '#domain/access/guesses'
import type { Cx } from '#domain/cx'
import { Refusal } from '#domain/refusal'
import { teamsOfUser, type UserRow, userByEmail } from '#store/users'
import { isPassword } from './passwords.ts'
import { presentUser } from './present.ts'

/** Exchanges email and password for a user token. An unknown email answers like a wrong password, in the same time. */
export async function signIn(
  cx: Pick<Cx, 'db' | 'tokens' | 'limiter'>,
  given: { email: string; password: string },
  address: string,
) {
  await countGuess(cx, `sign-in:${given.email.toLowerCase()}`, address)
  const user = await userByEmail(cx.db, given.email)
  const right = await isPassword(given.password, user?.password_hash)
  if (user === undefined || !right) throw new Refusal('login_failed')
  return signedIn(cx, user)
}

/** What a user gets who has just proved who they are. */
export async function signedIn(cx: Pick<Cx, 'db' | 'tokens'>, user: UserRow) {
  return {
    teams: await teamsOfUser(cx.db, user.id),
    token: await cx.tokens.issueUser({ userId: user.id, serial: user.token_serial }),
    user: presentUser(user),
  }
}
