import { ApiError } from '@longshore/client/client'
import { Send } from 'lucide-react'
import { type SubmitEvent, useEffect, useMemo, useRef, useState } from 'react'
import { waysInto } from '#browser/pick.ts'
import type { Upload, UploadEntry, UploadView } from '#browser/upload.ts'
import { useFormat, useText } from '#text/use-text.tsx'
import { DropZone } from '#ui/plain/drop-zone.tsx'
import { Labelled } from '#ui/plain/labelled.tsx'
import { Notice } from '#ui/plain/notice.tsx'
import { Refusal } from '#ui/plain/refusal.tsx'
import { Spinner } from '#ui/plain/spinner.tsx'
import { UploadList } from '#ui/plain/upload-list.tsx'
import { type AnswerFault, type Answers, faultOf, firstAnswers, shownFields } from './answers.ts'
import { FormField } from './field.tsx'
import { type Field, isRefusal, keptCode, placeOfPortal, type Portal } from './portal.ts'
import { type ActiveLimits, limitsOf, type Problem, problemOf } from './restrictions.ts'
import { letterOf, openPackage } from './send-off.ts'
import { Terms } from './terms.tsx'

interface ComposeProps {
  readonly portal: Portal
  readonly accessCode: string
  readonly upload: Upload
  readonly view: UploadView
  /** Reads the Portal anew: what it asks for may have changed since. */
  readonly lookAgain: () => void
  readonly begun: (facts: { readonly id: string; readonly name: string; readonly sender: string }) => void
}

const nobody: Pick<Field, 'type' | 'visibility'> = { type: 'sender_email', visibility: 'required' }
const noFields: readonly Field[] = []

/** Choosing files and saying what they are. */
export function Compose({ portal, accessCode, upload, view, lookAgain, begun }: ComposeProps) {
  const text = useText<'portal'>()
  const fields = portal.custom_metadata ?? noFields
  const [typed, setTyped] = useState<Answers>({})
  const answers = { ...firstAnswers(fields), ...typed }
  const [code, setCode] = useState(accessCode)
  const [own, setOwn] = useState({ sender: '', name: '', message: '' })
  const [agreed, setAgreed] = useState(!portal.terms_of_service_enabled)
  const [tried, setTried] = useState(false)
  const [hurried, setHurried] = useState(false)
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>()
  const sendOff = useRef({ said: '', key: '' })
  const form = useRef<HTMLFormElement>(null)
  const limits = useMemo(() => limitsOf(portal), [portal])
  const refused = useMemo(
    () => view.entries.filter((entry) => problemOf(limits, entry) !== undefined),
    [limits, view.entries],
  )
  const tooMuch = useTooMuch(limits, view)
  const asks = (type: Field['type']) => !fields.some((field) => field.type === type)

  const faults = new Map<string, AnswerFault>()
  for (const field of fields) {
    const fault = faultOf(field, answers[field.name] ?? '')
    if (fault !== undefined) faults.set(field.name, fault)
  }
  const senderFault = asks('sender_email') ? faultOf(nobody, own.sender) : undefined
  const nothing = view.files === 0
  const ready =
    faults.size === 0 &&
    senderFault === undefined &&
    agreed &&
    !nothing &&
    refused.length === 0 &&
    tooMuch === undefined

  const send = async (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    setTried(true)
    setHurried(view.looking)
    if (!ready || view.looking || busy) {
      // After the faults are drawn.
      setTimeout(() => form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus())
      return
    }
    setBusy(true)
    setError(undefined)
    try {
      const letter = letterOf(fields, own, answers)
      const name = letter.name === '' ? nameByFiles(view.entries) : letter.name
      const said = JSON.stringify({ ...letter, name, fields })
      // The same again after an answer that was lost must not open a second package.
      if (said !== sendOff.current.said) sendOff.current = { said, key: crypto.randomUUID() }
      const made = await openPackage(portal, code, { ...letter, name }, sendOff.current.key)
      keptCode.set(portal.id, code)
      begun({ id: made.id, name, sender: letter.sender })
      upload.begin({ ...made, name, place: placeOfPortal(portal.id), more: { sender: letter.sender } })
    } catch (refusal) {
      setError(refusal)
      setBusy(false)
      if (refusal instanceof ApiError) lookAgain()
    }
  }

  // Who pressed before all files were listed need not press again.
  useEffect(() => {
    if (hurried && !view.looking) form.current?.requestSubmit()
  }, [hurried, view.looking])

  return (
    <form ref={form} noValidate className="flex flex-col gap-5" onSubmit={(event) => void send(event)}>
      <div className="flex flex-col gap-2">
        <h1>{portal.name}</h1>
        {portal.message !== '' && <p className="whitespace-pre-line text-ink-soft">{portal.message}</p>}
      </div>

      <section className="flex flex-col gap-3" aria-label={text('portal.files')}>
        <DropZone
          title={text('portal.drop')}
          hint={<LimitsTold limits={limits} />}
          compact={view.entries.length > 0}
          {...waysInto(upload)}
        />
        {view.entries.length > 0 && <ChosenFiles upload={upload} view={view} limits={limits} />}
        {refused.length > 0 && <Refused refused={refused} remove={upload.remove} />}
        {tooMuch !== undefined && <Notice kind="danger">{tooMuch}</Notice>}
        {tried && nothing && !view.looking && <Notice kind="warn">{text('portal.noFiles')}</Notice>}
      </section>

      <section className="card flex flex-col gap-4 p-5 sm:p-6" aria-label={text('portal.details')}>
        {asks('sender_email') && (
          <Labelled
            label={text('portal.sender')}
            error={tried && senderFault !== undefined ? text(`portal.fault.${senderFault}`) : undefined}
          >
            {(described) => (
              <input
                {...described}
                className="input"
                type="email"
                autoComplete="email"
                required
                maxLength={254}
                value={own.sender}
                onChange={({ target }) => setOwn({ ...own, sender: target.value })}
              />
            )}
          </Labelled>
        )}
        {asks('package_name') && (
          <OwnField label={text('portal.name')}>
            {(described) => (
              <input
                {...described}
                className="input"
                maxLength={200}
                value={own.name}
                onChange={({ target }) => setOwn({ ...own, name: target.value })}
              />
            )}
          </OwnField>
        )}
        {shownFields(fields).map((field) => (
          <FormField
            key={field.name}
            field={field}
            answer={answers[field.name] ?? ''}
            fault={tried ? faults.get(field.name) : undefined}
            change={(answer) => setTyped((before) => ({ ...before, [field.name]: answer }))}
          />
        ))}
        {asks('package_description') && (
          <OwnField label={text('portal.message')}>
            {(described) => (
              <textarea
                {...described}
                className="input"
                maxLength={10_000}
                value={own.message}
                onChange={({ target }) => setOwn({ ...own, message: target.value })}
              />
            )}
          </OwnField>
        )}
      </section>

      {portal.terms_of_service_enabled && (
        <Terms terms={portal.terms_of_service} agreed={agreed} wrong={tried && !agreed} change={setAgreed} />
      )}
      {isRefusal(error, 'access_code_wrong') ? <NewCode code={code} change={setCode} /> : <Refusal error={error} />}
      <SendButton view={view} busy={busy} />
    </form>
  )
}

/** The code was changed since the sender came in. What they have filled in stays. */
function NewCode({ code, change }: { readonly code: string; readonly change: (code: string) => void }) {
  const text = useText<'portal'>()
  return (
    <section className="card p-5 sm:p-6">
      <Labelled label={text('portal.code')} error={text('portal.codeChanged')}>
        {(described) => (
          <input
            {...described}
            className="input"
            type="password"
            maxLength={72}
            autoComplete="off"
            value={code}
            onChange={({ target }) => change(target.value)}
          />
        )}
      </Labelled>
    </section>
  )
}

function OwnField({
  label,
  children,
}: {
  readonly label: string
  readonly children: Parameters<typeof Labelled>[0]['children']
}) {
  const text = useText<'portal'>()
  return (
    <Labelled
      label={
        <>
          {label} <span className="font-normal text-ink-faint">({text('ui.optional')})</span>
        </>
      }
    >
      {children}
    </Labelled>
  )
}

function SendButton({ view, busy }: { readonly view: UploadView; readonly busy: boolean }) {
  const text = useText<'portal'>()
  const format = useFormat()
  return (
    <div className="flex flex-col gap-2 sm:flex-row sm:items-center sm:justify-between">
      <p className="numeric text-ink-soft" aria-live="polite">
        {view.files > 0 &&
          text('portal.total', {
            count: view.files,
            number: format.number(view.files),
            size: format.bytes(view.bytes),
          })}
      </p>
      <button type="submit" className="button button-primary button-large" aria-disabled={busy || view.looking}>
        {busy || view.looking ? <Spinner /> : <Send size={18} aria-hidden />}
        {text('portal.send')}
      </button>
    </div>
  )
}

function ChosenFiles({
  upload,
  view,
  limits,
}: {
  readonly upload: Upload
  readonly view: UploadView
  readonly limits: ActiveLimits
}) {
  const text = useText<'portal'>()
  const format = useFormat()
  const words = useProblemWords(limits)
  return (
    <div className="card overflow-hidden">
      <div className="flex items-center justify-between gap-3 border-b border-line px-4 py-2">
        <p className="numeric text-sm text-ink-soft">
          {text('portal.total', {
            count: view.files,
            number: format.number(view.files),
            size: format.bytes(view.bytes),
          })}
        </p>
        <span className="flex items-center gap-2">
          {view.looking && <Spinner />}
          <button
            type="button"
            className="button button-quiet button-small"
            onClick={() => upload.remove(view.entries.map(({ n }) => n))}
          >
            {text('portal.clear')}
          </button>
        </span>
      </div>
      <UploadList
        label={text('portal.files')}
        entries={view.entries}
        problemOf={(entry) => words(problemOf(limits, entry))}
        remove={(entry) => upload.remove([entry.n])}
      />
    </div>
  )
}

function Refused({ refused, remove }: { readonly refused: readonly UploadEntry[]; readonly remove: Upload['remove'] }) {
  const text = useText<'portal'>()
  return (
    <Notice kind="danger">
      <div className="flex flex-wrap items-center justify-between gap-3">
        <p>{text('portal.refused', { count: refused.length })}</p>
        <button type="button" className="button button-small" onClick={() => remove(refused.map(({ n }) => n))}>
          {text('portal.refused.remove', { count: refused.length })}
        </button>
      </div>
    </Notice>
  )
}

/** What this Portal takes, before anybody chooses something else. */
function LimitsTold({ limits }: { readonly limits: ActiveLimits }) {
  const text = useText<'portal'>()
  const format = useFormat()
  const told = [
    limits.types && text('portal.limit.types', { types: limits.types.map((type) => `.${type}`).join(', ') }),
    limits.fileBytes && text('portal.limit.fileBytes', { size: format.bytes(limits.fileBytes) }),
    limits.packageBytes && text('portal.limit.packageBytes', { size: format.bytes(limits.packageBytes) }),
    limits.files && text('portal.limit.files', { count: limits.files }),
  ].filter((sentence) => sentence !== undefined)
  return <>{told.length === 0 ? text('portal.limit.none') : told.join(' · ')}</>
}

function useTooMuch({ packageBytes, files }: ActiveLimits, view: UploadView): string | undefined {
  const text = useText<'portal'>()
  const format = useFormat()
  if (files !== undefined && view.files > files)
    return text('portal.tooMany', { count: files, chosen: format.number(view.files) })
  if (packageBytes !== undefined && view.bytes > packageBytes) {
    return text('portal.tooLarge', { size: format.bytes(packageBytes), over: format.bytes(view.bytes - packageBytes) })
  }
  return undefined
}

function useProblemWords({ fileBytes, types }: ActiveLimits): (problem: Problem | undefined) => string | undefined {
  const text = useText<'portal'>()
  const format = useFormat()
  return (problem) => {
    if (problem === undefined) return undefined
    if (problem === 'too large') return text('portal.problem.tooLarge', { size: format.bytes(fileBytes ?? 0) })
    if (problem === 'type refused')
      return text('portal.problem.type', { types: (types ?? []).map((type) => `.${type}`).join(', ') })
    return text('portal.problem.name')
  }
}

/** The folder or the file that was chosen first. */
function nameByFiles(entries: readonly UploadEntry[]): string {
  const [first] = entries
  if (first === undefined) return '…'
  return (first.path === '' ? first.name : (first.path.split('/')[0] ?? '')).slice(0, 200)
}
