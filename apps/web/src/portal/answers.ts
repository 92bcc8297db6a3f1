import type { Field } from './portal.ts'

/** What somebody typed, by the name of the field. Several choices of a checkbox are on lines of their own. */
export type Answers = Readonly<Record<string, string>>

export type AnswerFault = 'required' | 'email' | 'url' | 'number'

/** Fields that a sender sees. */
export const shownFields = (fields: readonly Field[]): readonly Field[] =>
  fields.filter(({ visibility }) => visibility !== 'hidden')

export const firstAnswers = (fields: readonly Field[]): Answers =>
  Object.fromEntries(
    fields.map(({ name, type, default_value: value = '' }) => [
      name,
      type === 'checkbox' ? value.split(', ').join('\n') : value,
    ]),
  )

/** The answers as they are sent: several choices in one line, as people write them. */
export const valuesOf = (fields: readonly Field[], answers: Answers): Record<string, { value: string }> =>
  Object.fromEntries(
    fields.map(({ name, type }) => {
      const answer = answers[name] ?? ''
      return [name, { value: type === 'checkbox' ? answer.split('\n').join(', ') : answer }]
    }),
  )

/** The same pattern as the contract's: one plain address. */
const email =
  /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~](?:[A-Za-z0-9!#$%&'*+/=?^_`{|}~.-]{0,62}[A-Za-z0-9!#$%&'*+/=?^_`{|}~-])?@[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?(?:\.[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?)*$/

export const isEmail = (text: string): boolean => text.length <= 254 && email.test(text)

export function faultOf(
  { type, visibility }: Pick<Field, 'type' | 'visibility'>,
  answer: string,
): AnswerFault | undefined {
  const value = answer.trim()
  // Neither can be changed here, so neither can be wrong.
  if (visibility === 'readonly' || visibility === 'hidden') return undefined
  if (value === '') return visibility === 'required' || type === 'sender_email' ? 'required' : undefined
  if ((type === 'email' || type === 'sender_email') && !isEmail(value)) return 'email'
  if (type === 'url' && !isWebAddress(value)) return 'url'
  if (type === 'number' && !Number.isFinite(Number(value))) return 'number'
  return undefined
}

function isWebAddress(text: string): boolean {
  const { protocol } = URL.parse(text) ?? {}
  return protocol === 'http:' || protocol === 'https:'
}

/** What a form says of the package itself. */
export const answerOfType = (fields: readonly Field[], answers: Answers, type: Field['type']): string | undefined => {
  const field = fields.find((one) => one.type === type)
  return field === undefined ? undefined : (answers[field.name] ?? '').trim()
}
