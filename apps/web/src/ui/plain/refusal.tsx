import { ApiError } from '@longshore/client/client'
import type { Text, UiKey, Values } from '#text/texts.ts'
import { useText } from '#text/use-text.tsx'
import { Notice } from './notice.tsx'

/** What went wrong, and what to do about it, in the language of the page where we have the words. */
export function sentenceOf(text: Text<UiKey>, error: unknown): string {
  if (!(error instanceof ApiError)) return text(error instanceof TypeError ? 'error.offline' : 'error.unexpected')
  const details = error.details.map(({ field, reason }) => `${field} ${reason}`).join(', ')
  const own = textIfAny(text, `error.${error.error}`, { details })
  if (own !== undefined) return own
  if (details !== '') return text('error.validation_failed', { details })
  return error.status >= 500 ? text('error.internal_error') : error.message
}

/** The same for the name of a fault, as a worker reports it. */
export function faultSentence(text: Text<UiKey>, fault: string): string {
  if (fault === 'network') return text('error.offline')
  return textIfAny(text, `fault.${fault}`) ?? textIfAny(text, `error.${fault}`) ?? text('fault.other', { fault })
}

/** Some doors have words for more errors, or better ones, than all have in common. */
function textIfAny(text: Text<UiKey>, key: string, values?: Values): string | undefined {
  const sentence = text(key as UiKey, values)
  return sentence === key ? undefined : sentence
}

/** Tells of a failed call. Nothing where there is none. */
export function Refusal({ error }: { readonly error: unknown }) {
  const text = useText()
  if (error === undefined || error === null) return null
  const reference = error instanceof ApiError && error.status >= 500 ? error.requestId : undefined
  return (
    <Notice kind="danger">
      <p>{sentenceOf(text, error)}</p>
      {reference !== undefined && <p className="text-sm text-ink-soft">{text('error.reference', { id: reference })}</p>}
    </Notice>
  )
}
