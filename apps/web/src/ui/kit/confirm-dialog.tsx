import type { ReactNode } from 'react'
import { useText } from '#text/use-text.tsx'
import { Refusal } from '../plain/refusal.tsx'
import { DialogBox } from './dialog-box.tsx'

interface ConfirmDialogProps {
  readonly title: string
  readonly action: string
  readonly isOpen: boolean
  readonly isPending: boolean
  readonly error: unknown
  readonly onConfirm: () => void
  readonly onClose: () => void
  /** What will happen. */
  readonly children: ReactNode
}

/** Asks once more before something that cannot be undone. */
export function ConfirmDialog(props: ConfirmDialogProps) {
  const text = useText()
  return (
    <DialogBox title={props.title} isOpen={props.isOpen} onClose={props.onClose}>
      <div className="text-ink-soft">{props.children}</div>
      <Refusal error={props.error} />
      <div className="dialog-actions">
        <button type="button" className="button" onClick={props.onClose} autoFocus>
          {text('ui.cancel')}
        </button>
        <button type="button" className="button button-danger" disabled={props.isPending} onClick={props.onConfirm}>
          {props.action}
        </button>
      </div>
    </DialogBox>
  )
}
