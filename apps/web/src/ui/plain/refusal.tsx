import { ApiError } from '@longshore/client/client'
import { useEffect, useRef } from 'react'
import type { Text, UiKey, Values } from '#text/texts.ts'
import { useText } from '#text/use-text.tsx'
import { Notice } from './notice.tsx'

/** What went wrong, and what to do about it, in the language of the page where we have the words. */
export function sentenceOf(text: Text<UiKey>, error: unknown): string {
  if (!(error instanceof ApiError)) return text(error instanceof TypeError ? 'error.offline' : 'error.unexpected')
  const details = [...new Set(error.details.map((detail) => ruleOf(text, detail)))].join(' ')
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

type Detail = ApiError['details'][number]

/** What a field takes, in the words of the page; what the server says of it where there are none. */
function ruleOf(text: Text<UiKey>, { field, reason }: Detail): string {
  const names = field.split('/').filter((step) => !/^\d+$/.test(step))
  // A header is a field of its own to the server, and a line among others here.
  return textIfAny(text, `rule.${names.join('.')}`) ?? textIfAny(text, `rule.${names[0]}`) ?? `${field}: ${reason}.`
}

/** Some doors have words for more errors, or better ones, than all have in common. */
function textIfAny(text: Text<UiKey>, key: string, values?: Values): string | undefined {
  const sentence = text(key as UiKey, values)
  return sentence === key ? undefined : sentence
}

/** Tells of a failed call. Nothing where there is none. */
export function Refusal({ error }: { readonly error: unknown }) {
  const text = useText()
  const said = useRef<HTMLParagraphElement>(null)
  useEffect(() => {
    const form = said.current?.closest('form')
    if (form != null && error instanceof ApiError) return pointAt(form, error.details, text)
  }, [error, text])
  if (error === undefined || error === null) return null
  const reference = error instanceof ApiError && error.status >= 500 ? error.requestId : undefined
  return (
    <Notice kind="danger">
      <p ref={said}>{sentenceOf(text, error)}</p>
      {reference !== undefined && <p className="text-sm text-ink-soft">{text('error.reference', { id: reference })}</p>}
    </Notice>
  )
}

/**
 * Has the browser say at each field what the server has against it, as it says itself what it finds wrong; until
 * somebody does something about it.
 */
function pointAt(form: HTMLFormElement, details: readonly Detail[], text: Text<UiKey>): () => void {
  const controls = new Map<Control, string>()
  for (const detail of details) {
    const control = controlOf(form, detail.field)
    if (control !== undefined) controls.set(control, ruleOf(text, detail))
  }
  for (const [control, rule] of controls) control.setCustomValidity(rule)
  if (controls.size > 0) form.reportValidity()
  const forget = () => {
    for (const control of controls.keys()) control.setCustomValidity('')
  }
  form.addEventListener('input', forget)
  form.addEventListener('click', forget, { capture: true })
  return () => {
    forget()
    form.removeEventListener('input', forget)
    form.removeEventListener('click', forget, { capture: true })
  }
}

type Control = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement

/** `recipients/1` is the second line of `recipients`, and `authorization/bucket` may be called `bucket` on the page. */
function controlOf(form: HTMLFormElement, field: string): Control | undefined {
  const steps = field.split('/')
  const names = [steps.join('.'), steps[0] ?? '', steps.at(-1) ?? '']
  const found = names.map((name) => form.elements.namedItem(name)).find((one) => one !== null)
  return found instanceof Element && 'setCustomValidity' in found ? (found as Control) : undefined
}
