import { useId } from 'react'
import { useText } from '#text/use-text.tsx'
import type { Portal } from './portal.ts'

interface TermsProps {
  readonly terms: Portal['terms_of_service']
  readonly agreed: boolean
  readonly wrong: boolean
  readonly change: (agreed: boolean) => void
}

/** What a sender agrees to. */
export function Terms({ terms, agreed, wrong, change }: TermsProps) {
  const text = useText<'portal'>()
  const id = useId()
  const title = terms.title === undefined || terms.title === '' ? text('portal.terms') : terms.title
  return (
    <section className="card flex flex-col gap-3 p-5 sm:p-6" aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      {terms.text !== undefined && terms.text !== '' && (
        <div
          className="max-h-48 overflow-y-auto whitespace-pre-line rounded-md bg-sunken p-3 text-sm"
          tabIndex={0}
          role="group"
          aria-label={title}
        >
          {terms.text}
        </div>
      )}
      <label className="check">
        <input
          type="checkbox"
          checked={agreed}
          aria-invalid={wrong}
          onChange={({ target }) => change(target.checked)}
        />
        <span>
          {text('portal.terms.agree')}
          {wrong && <span className="field-error block">{text('portal.terms.missing')}</span>}
        </span>
      </label>
    </section>
  )
}
