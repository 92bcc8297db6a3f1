import { useText } from '#text/use-text.tsx'
import { Refusal } from './refusal.tsx'

interface FormActionsProps {
  readonly error: unknown
  readonly isPending: boolean
  readonly onCancel: () => void
  /** What the button that sends the form says; "Save" where left out. */
  readonly submit?: string
}

/** The end of a form in a dialog: what went wrong, the way out, the way on. */
export function FormActions({ error, isPending, onCancel, submit }: FormActionsProps) {
  const text = useText()
  return (
    <>
      <Refusal error={error} />
      <div className="dialog-actions">
        <button type="button" className="button" onClick={onCancel}>
          {text('ui.cancel')}
        </button>
        <button type="submit" className="button button-primary" disabled={isPending}>
          {submit ?? text('ui.save')}
        </button>
      </div>
    </>
  )
}
