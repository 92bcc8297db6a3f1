import { type ReactNode, useId } from 'react'

interface Described {
  readonly id: string
  readonly 'aria-describedby': string | undefined
  readonly 'aria-invalid': boolean | undefined
}

interface LabelledProps {
  readonly label: ReactNode
  readonly hint?: string | undefined
  readonly error?: string | undefined
  /** The control; what it gets ties it to its label, hint and error. */
  readonly children: (described: Described) => ReactNode
}

/** A control with its label above, and below it a hint, or what is wrong. */
export function Labelled({ label, hint, error, children }: LabelledProps) {
  const id = useId()
  const told = error ?? hint
  return (
    <div className="field">
      <label className="field-label" htmlFor={id}>
        {label}
      </label>
      {children({
        id,
        'aria-describedby': told === undefined ? undefined : `${id}-told`,
        'aria-invalid': error === undefined ? undefined : true,
      })}
      {told !== undefined && (
        <p id={`${id}-told`} className={error === undefined ? 'field-hint' : 'field-error'}>
          {told}
        </p>
      )}
    </div>
  )
}
