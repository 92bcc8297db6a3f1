import { newId, newSecret } from '@longshore/kit/ids'
import { hashSecret } from '@longshore/kit/secrets'
import type { Caller } from '#domain/access/caller'
import type { Cx } from '#domain/cx'
import { sendOnce } from '#domain/notices/send-once'
import { Refusal } from '#domain/refusal'
import { isDuplicate } from '#platform/db'
import { mailEmailConfirmation } from '#queue/orders'
import { planEmailChange, setEmail, takeEmailChange, userByEmail } from '#store/users'
import { confirmPassword, ownAccount } from './own-account.ts'

const confirmationHours = 24
const sealContext = 'email-confirmation'

/** Plans a new email address. It is in force once the mail that goes there is confirmed. */
export async function changeEmail(
  cx: Pick<Cx, 'db' | 'limiter' | 'queue' | 'box'>,
  caller: Caller,
  userId: string,
  given: { email: string; password: string },
  address: string,
): Promise<void> {
  const user = await ownAccount(cx, caller, userId)
  await confirmPassword(cx, user, given.password, address)
  const holder = await userByEmail(cx.db, given.email)
  if (holder !== undefined && holder.id !== user.id) throw new Refusal('email_taken')
  const token = newSecret(24)
  await cx.db.transaction(async (tx) => {
    await planEmailChange(tx, user.id, given.email, hashSecret(token), confirmationHours)
    // Sealed, because whoever reads the queue must not be able to confirm.
    const tokenSealed = cx.box.seal(sealContext, token).toString('base64')
    await cx.queue.enqueue(tx, mailEmailConfirmation, [{ id: newId(), email: given.email, tokenSealed }])
  })
}

export async function mailConfirmation(
  cx: Pick<Cx, 'db' | 'mailer' | 'box' | 'settings' | 'log'>,
  order: { id: string; email: string; tokenSealed: string },
): Promise<void> {
  const token = cx.box.open(sealContext, Buffer.from(order.tokenSealed, 'base64'))
  await sendOnce(cx, {
    template: 'email-confirmation',
    about: order.id,
    to: order.email,
    subject: 'Confirm your new email address',
    facts: { url: `${cx.settings.publicUrl}/confirm-email#${token}`, hours: confirmationHours },
  })
}

export async function confirmEmail(cx: Pick<Cx, 'db'>, token: string): Promise<void> {
  try {
    await cx.db.transaction(async (tx) => {
      const change = await takeEmailChange(tx, hashSecret(token))
      if (change === undefined) throw new Refusal('confirmation_not_found')
      await setEmail(tx, change.user_id, change.email)
    })
  } catch (error) {
    if (isDuplicate(error, 'users_email')) throw new Refusal('email_taken')
    throw error
  }
}
