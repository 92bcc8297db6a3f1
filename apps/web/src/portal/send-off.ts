import { answerForm } from '@longshore/contract/cloud/forms'
import { createPortalPackage } from '@longshore/contract/cloud/packages'
import { type Answers, answerOfType, valuesOf } from './answers.ts'
import { client, type Field, type Portal } from './portal.ts'

/** What a sender says besides the files. */
export interface Letter {
  readonly sender: string
  readonly name: string
  readonly message: string
  readonly answers: Answers
}

/** What the fields of the form and our own say together; the form goes first. */
export const letterOf = (fields: readonly Field[], own: Omit<Letter, 'answers'>, answers: Answers): Letter => ({
  sender: answerOfType(fields, answers, 'sender_email') ?? own.sender.trim(),
  name: answerOfType(fields, answers, 'package_name') ?? own.name.trim(),
  message: answerOfType(fields, answers, 'package_description') ?? own.message.trim(),
  answers,
})

/** Opens the package. The same key again, after an answer that was lost, opens no second one. */
export async function openPackage(portal: Portal, accessCode: string, letter: Letter, key: string) {
  const params = { portal_id: portal.id }
  const by = { credential: { accessCode } } as const
  const fields = portal.custom_metadata
  const answered =
    fields === undefined
      ? undefined
      : await client.call(
          answerForm,
          { params, body: valuesOf(fields, letter.answers) },
          { ...by, idempotencyKey: `${key}-form` },
        )
  const made = await client.call(
    createPortalPackage,
    {
      params,
      body: {
        name: letter.name,
        description: letter.message,
        sender: letter.sender,
        ...(answered === undefined ? {} : { form_data_id: answered.id }),
      },
    },
    { ...by, idempotencyKey: key },
  )
  return { id: made.id, token: made.access_token ?? '' }
}
