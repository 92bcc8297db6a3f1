import type { Caller } from '#domain/access/caller'
import type { Cx } from '#domain/cx'
import { accessTopic } from '#domain/realtime/announce'
import { setPassword } from '#store/users'
import { confirmPassword, ownAccount } from './own-account.ts'
import { hashPassword } from './passwords.ts'

/** Sets a new password and ends every token of the user, but for the one that this call was made with. */
export async function changePassword(
  cx: Pick<Cx, 'db' | 'limiter'>,
  caller: Caller,
  userId: string,
  given: { current_password: string; password: string },
  address: string,
): Promise<void> {
  const user = await ownAccount(cx, caller, userId)
  await confirmPassword(cx, user, given.current_password, address)
  const passwordHash = await hashPassword(given.password)
  await cx.db.transaction(async (tx) => {
    await setPassword(tx, user.id, passwordHash, caller.kind === 'user-token' ? caller.tokenId : null)
    tx.announce(accessTopic(user.id))
  })
}
