import { useText } from '#text/use-text.tsx'
import { DropZone, type DropZoneProps } from './drop-zone.tsx'
import { Notice } from './notice.tsx'

interface MissingFilesProps extends Pick<DropZoneProps, 'dropped' | 'chosen' | 'pick'> {
  readonly missing: number
  /** What was chosen just now are not the files that are missing. */
  readonly areOthers: boolean
  /** Undefined where nothing would be left to send. */
  readonly leaveOut: (() => void) | undefined
  readonly startAnew: () => void
}

/** The browser has lost its hold on the files; the sender chooses them once more. */
export function MissingFiles({ missing, areOthers, leaveOut, startAnew, ...zone }: MissingFilesProps) {
  const text = useText()
  return (
    <>
      <Notice kind="warn">
        <p>{text('ui.missing', { count: missing })}</p>
        {areOthers && <p>{text('ui.missing.other')}</p>}
      </Notice>
      <DropZone compact title={text('ui.missing.choose')} {...zone} />
      <button type="button" className="button button-quiet self-start" onClick={leaveOut ?? startAnew}>
        {leaveOut === undefined ? text('ui.startAnew') : text('ui.leaveOut', { count: missing })}
      </button>
    </>
  )
}
