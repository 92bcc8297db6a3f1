import type { ReactNode } from 'react'
import { useText } from '#text/use-text.tsx'
import { DialogBox } from '#ui/kit/dialog-box.tsx'
import { CopyField } from '#ui/plain/copy-field.tsx'
import { Notice } from '#ui/plain/notice.tsx'

interface ShownOnceProps {
  readonly title: string
  readonly label: string
  readonly value: string
  readonly wide?: boolean
  readonly onClose: () => void
  /** What to do with it. */
  readonly children?: ReactNode
}

/** A secret that the server will not tell again. Goes only when one says so. */
export function ShownOnce({ title, label, value, wide = false, onClose, children }: ShownOnceProps) {
  const text = useText<'console'>()
  return (
    <DialogBox title={title} isOpen onClose={onClose} wide={wide} mustAnswer>
      {children}
      <div className="field">
        <p className="field-label">{label}</p>
        <CopyField label={label} value={value} />
      </div>
      <Notice kind="warn">{text('once.hint')}</Notice>
      <div className="dialog-actions">
        <button type="button" className="button button-primary" onClick={onClose}>
          {text('once.done')}
        </button>
      </div>
    </DialogBox>
  )
}
