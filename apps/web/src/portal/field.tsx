import { useText } from '#text/use-text.tsx'
import { Labelled } from '#ui/plain/labelled.tsx'
import type { AnswerFault } from './answers.ts'
import type { Field } from './portal.ts'

interface FormFieldProps {
  readonly field: Field
  readonly answer: string
  readonly fault: AnswerFault | undefined
  readonly change: (answer: string) => void
}

/** One question of a Portal's form. */
export function FormField({ field, answer, fault, change }: FormFieldProps) {
  const text = useText<'portal'>()
  const error = fault === undefined ? undefined : text(`portal.fault.${fault}`)
  const label = field.label === '' ? field.name : field.label
  if (field.type === 'radio' || (field.type === 'checkbox' && (field.options ?? []).length > 0)) {
    return <Choices field={field} label={label} answer={answer} error={error} change={change} />
  }
  if (field.type === 'checkbox') {
    return (
      <label className="check">
        <input
          type="checkbox"
          checked={answer !== '' && answer !== 'false'}
          disabled={field.visibility === 'readonly'}
          aria-invalid={fault !== undefined}
          onChange={({ target }) => change(target.checked ? 'true' : '')}
        />
        <span>
          {label} <Optional field={field} />
          {error !== undefined && <span className="field-error block">{error}</span>}
        </span>
      </label>
    )
  }
  return (
    <Labelled
      label={
        <>
          {label} <Optional field={field} />
        </>
      }
      error={error}
    >
      {(described) => <Control {...described} field={field} answer={answer} change={change} />}
    </Labelled>
  )
}

function Optional({ field }: { readonly field: Field }) {
  const text = useText<'portal'>()
  if (field.visibility !== 'optional' || field.type === 'sender_email') return null
  return <span className="font-normal text-ink-faint">({text('ui.optional')})</span>
}

const inputTypes: Partial<Record<Field['type'], string>> = {
  date: 'date',
  url: 'url',
  email: 'email',
  sender_email: 'email',
}

interface ControlProps {
  readonly id: string
  readonly field: Field
  readonly answer: string
  readonly change: (answer: string) => void
}

function Control({ field, answer, change, ...described }: ControlProps) {
  const text = useText<'portal'>()
  const shared = { ...described, className: 'input', required: field.visibility === 'required', maxLength: 10_000 }
  const readOnly = field.visibility === 'readonly'
  if (field.type === 'dropdown') {
    const { maxLength: _, ...forSelect } = shared
    return (
      <select {...forSelect} value={answer} disabled={readOnly} onChange={({ target }) => change(target.value)}>
        <option value="">{text('portal.choose')}</option>
        {(field.options ?? []).map((option) => (
          <option key={option} value={option}>
            {option}
          </option>
        ))}
      </select>
    )
  }
  if (field.type === 'long_text' || field.type === 'package_description') {
    return <textarea {...shared} value={answer} readOnly={readOnly} onChange={({ target }) => change(target.value)} />
  }
  return (
    <input
      {...shared}
      type={inputTypes[field.type] ?? 'text'}
      inputMode={field.type === 'number' ? 'decimal' : undefined}
      autoComplete={field.type === 'sender_email' ? 'email' : undefined}
      value={answer}
      readOnly={readOnly}
      onChange={({ target }) => change(target.value)}
    />
  )
}

interface ChoicesProps {
  readonly field: Field
  readonly label: string
  readonly answer: string
  readonly error: string | undefined
  readonly change: (answer: string) => void
}

/** Several to choose from: one by radio, any by checkbox. */
function Choices({ field, label, answer, error, change }: ChoicesProps) {
  const { options = [], type, name } = field
  const chosen = type === 'radio' ? [answer] : answer.split('\n')
  const pick = (option: string, isChosen: boolean) => {
    if (type === 'radio') change(option)
    else change(options.filter((one) => (one === option ? isChosen : chosen.includes(one))).join('\n'))
  }
  return (
    <fieldset
      className="flex flex-col gap-2"
      aria-invalid={error !== undefined}
      disabled={field.visibility === 'readonly'}
    >
      <legend className="field-label mb-1.5">
        {label} <Optional field={field} />
      </legend>
      {options.map((option) => (
        <label key={option} className="check">
          <input
            type={type === 'radio' ? 'radio' : 'checkbox'}
            name={name}
            checked={chosen.includes(option)}
            onChange={({ target }) => pick(option, target.checked)}
          />
          <span>{option}</span>
        </label>
      ))}
      {error !== undefined && <p className="field-error">{error}</p>}
    </fieldset>
  )
}
