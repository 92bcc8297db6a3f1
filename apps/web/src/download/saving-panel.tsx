import { Pause, Play } from 'lucide-react'
import type { Contents } from '#browser/contents.ts'
import type { Saving } from '#browser/download-messages.ts'
import { useFormat, useText } from '#text/use-text.tsx'
import { Notice } from '#ui/plain/notice.tsx'
import { ProgressBar } from '#ui/plain/progress-bar.tsx'
import { faultSentence } from '#ui/plain/refusal.tsx'
import { StoreAway } from '#ui/plain/store-away.tsx'

interface SavingPanelProps {
  readonly saving: Saving
  readonly contents: Contents
  readonly pause: () => void
  readonly goOn: () => void
}

/** Files on their way into a folder. */
export function SavingPanel({ saving, contents, pause, goOn }: SavingPanelProps) {
  const text = useText<'download'>()
  const format = useFormat()
  const { state, bytes, saved, done, files, failed, speed, storeAway, fault } = saving
  if (state === 'complete') {
    return (
      <Notice kind="good">
        <p>{text('download.saved', { count: done, number: format.number(done) })}</p>
      </Notice>
    )
  }
  const told = text('download.sofar', { saved: format.bytes(saved), size: format.bytes(bytes) })
  return (
    <div className="flex flex-col gap-3 rounded-lg border border-line p-4">
      <ProgressBar
        label={text('download.saving')}
        share={bytes === 0 ? undefined : Math.min(0.999, saved / bytes)}
        told={told}
      />
      <div className="flex flex-wrap items-center justify-between gap-3">
        <p className="numeric text-sm text-ink-soft" aria-live="polite">
          {told} · {text('download.filesDone', { done: format.number(done), files: format.number(files) })}
          {state === 'running' && ` · ${format.rate(speed.bytesPerSecond)}`}
          {state === 'running' &&
            speed.secondsLeft !== undefined &&
            ` · ${text('download.left', { time: format.duration(speed.secondsLeft) })}`}
        </p>
        {state === 'running' ? (
          <button type="button" className="button button-small" onClick={pause}>
            <Pause size={16} aria-hidden />
            {text('download.pause')}
          </button>
        ) : (
          <button type="button" className="button button-small" onClick={goOn}>
            <Play size={16} aria-hidden />
            {text('download.goOn')}
          </button>
        )}
      </div>
      {state === 'running' && storeAway !== undefined && (
        <StoreAway host={storeAway}>{text('download.storeAway')}</StoreAway>
      )}
      {state === 'failed' && (
        <Notice kind="danger">
          <p>
            {failed.length > 0 ? text('download.failed', { count: failed.length }) : faultSentence(text, fault ?? '')}
          </p>
          <ul className="mt-1 list-disc pl-5 text-sm">
            {failed.slice(0, 5).map(({ row, fault }) => (
              <li key={row}>
                <bdi>{contents.names[row]}</bdi>: {faultSentence(text, fault)}
              </li>
            ))}
          </ul>
        </Notice>
      )}
    </div>
  )
}
