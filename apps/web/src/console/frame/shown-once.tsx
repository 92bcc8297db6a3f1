import { useText } from '#text/use-text.tsx'
import { DialogBox } from '#ui/kit/dialog-box.tsx'
import { CopyField } from '#ui/plain/copy-field.tsx'
import { Notice } from '#ui/plain/notice.tsx'

interface ShownOnceProps {
  readonly title: string
  readonly label: string
  readonly value: string
  readonly onClose: () => void
}

/** A secret that the server will not tell again. Goes only when one says so. */
export function ShownOnce({ title, label, value, onClose }: ShownOnceProps) {
  const text = useText<'console'>()
  return (
    <DialogBox title={title} isOpen onClose={onClose} mustAnswer>
      <CopyField label={label} value={value} />
      <Notice kind="warn">{text('once.hint')}</Notice>
      <div className="dialog-actions">
        <button type="button" className="button button-primary" onClick={onClose}>
          {text('once.done')}
        </button>
      </div>
    </DialogBox>
  )
}
