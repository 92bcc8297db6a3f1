import { ApiError } from '@longshore/client/client'
import type { Text, UiKey } from '#text/texts.ts'
import { useText } from '#text/use-text.tsx'
import { Notice } from './notice.tsx'

/** What went wrong, and what to do about it, in the language of the page where we have the words. */
export function sentenceOf(text: Text<UiKey>, error: unknown): string {
  if (!(error instanceof ApiError)) return text(error instanceof TypeError ? 'error.offline' : 'error.unexpected')
  if (error.details.length > 0) {
    const details = error.details.map(({ field, reason }) => `${field} ${reason}`).join(', ')
    return text('error.validation_failed', { details })
  }
  const key = `error.${error.error}`
  const sentence = text(key as UiKey)
  return sentence === key ? error.message : sentence
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
