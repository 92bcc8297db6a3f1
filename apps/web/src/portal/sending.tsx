import { Pause, Play, WifiOff } from 'lucide-react'
import { useEffect, useState } from 'react'
import { waysToMissing } from '#browser/pick.ts'
import { endings, type Upload, type UploadEntry, type UploadView } from '#browser/upload.ts'
import { useFormat, useText } from '#text/use-text.tsx'
import { MissingFiles } from '#ui/plain/missing-files.tsx'
import { Notice } from '#ui/plain/notice.tsx'
import { ProgressBar } from '#ui/plain/progress-bar.tsx'
import { faultSentence } from '#ui/plain/refusal.tsx'
import { Spinner } from '#ui/plain/spinner.tsx'
import { StoreAway } from '#ui/plain/store-away.tsx'
import { UploadList } from '#ui/plain/upload-list.tsx'

interface SendingProps {
  readonly upload: Upload
  readonly view: UploadView
  readonly name: string
  readonly startAnew: () => void
  /** Gives up what was begun, and starts anew. */
  readonly discard: () => void
}

/** A package on its way: how far, how fast, and what stands in the way. */
export function Sending({ upload, view, name, startAnew, discard }: SendingProps) {
  const text = useText<'portal'>()
  const faultWords = useFaultWords()
  if (view.state === 'elsewhere') {
    return (
      <Notice kind="warn">
        <p>{text('ui.elsewhere')}</p>
        <button type="button" className="button button-small mt-2" onClick={startAnew}>
          {text('portal.more')}
        </button>
      </Notice>
    )
  }
  return (
    <>
      <section className="card flex flex-col gap-4 p-5 sm:p-6" aria-label={text('portal.progress')}>
        <h1 className="break-words">{name}</h1>
        <Status view={view} upload={upload} />
        {view.state === 'running' && view.storeAway !== undefined && (
          <StoreAway host={view.storeAway}>{text('portal.storeAway')}</StoreAway>
        )}
        {view.state === 'missing files' && <MissingFiles {...waysToMissing(upload, view)} startAnew={discard} />}
        {view.state === 'failed' && <Failed upload={upload} view={view} discard={discard} />}
      </section>
      <div className="card overflow-hidden">
        <UploadList
          label={text('portal.files')}
          entries={inOrderOfNeed(view)}
          problemOf={(entry) => (entry.state === 'missing' ? text('ui.missing.one') : faultWords(entry.fault))}
          retry={upload.goOn}
        />
      </div>
    </>
  )
}

/** What needs somebody comes first, then what moves. The order of all others stays. */
function inOrderOfNeed({ entries, state }: UploadView): readonly UploadEntry[] {
  const wanted = state === 'missing files' ? 'missing' : 'failed'
  if (!entries.some((entry) => entry.state === wanted)) return entries
  return [...entries.filter((entry) => entry.state === wanted), ...entries.filter((entry) => entry.state !== wanted)]
}

function Status({ view, upload }: { readonly view: UploadView; readonly upload: Upload }) {
  const text = useText<'portal'>()
  const format = useFormat()
  const offline = useOffline()
  // An empty file has no bytes to be measured by.
  const share = view.bytes === 0 ? view.done / Math.max(1, view.files) : view.sent / view.bytes
  const waits = view.state === 'running' && (offline || view.speed.bytesPerSecond < 1)
  const told = text('portal.sofar', { sent: format.bytes(view.sent), size: format.bytes(view.bytes) })
  return (
    <>
      <ProgressBar label={text('portal.progress')} share={Math.min(share, 0.999)} told={told} />
      <div className="flex flex-wrap items-center justify-between gap-x-6 gap-y-3">
        <p className="numeric">
          <span className="text-2xl font-semibold">{format.percent(Math.min(0.99, share))}</span>{' '}
          <span className="text-ink-soft">
            {told} · {text('portal.filesDone', { done: format.number(view.done), files: format.number(view.files) })}
          </span>
        </p>
        {view.state === 'running' && (
          <button type="button" className="button" onClick={upload.pause}>
            <Pause size={16} aria-hidden />
            {text('portal.pause')}
          </button>
        )}
        {view.state === 'paused' && (
          <button type="button" className="button button-primary" onClick={upload.goOn}>
            <Play size={16} aria-hidden />
            {text('portal.resume')}
          </button>
        )}
      </div>
      <p className="numeric flex min-h-6 items-center gap-2 text-ink-soft" aria-live="polite">
        {waits ? (
          <>
            {offline ? <WifiOff size={18} aria-hidden /> : <Spinner />}
            {text(offline ? 'portal.offline' : share >= 1 ? 'portal.closing' : 'portal.waiting')}
          </>
        ) : (
          view.state === 'running' && (
            <>
              {format.rate(view.speed.bytesPerSecond)}
              {view.speed.secondsLeft !== undefined &&
                ` · ${text('portal.left', { time: format.duration(view.speed.secondsLeft) })}`}
            </>
          )
        )}
        {view.state === 'paused' && text('portal.paused')}
      </p>
      {view.state === 'running' && <p className="text-sm text-ink-soft">{text('portal.stay')}</p>}
    </>
  )
}

interface TroubleProps {
  readonly upload: Upload
  readonly view: UploadView
  readonly discard: () => void
}

function Failed({ upload, view, discard }: TroubleProps) {
  const text = useText<'portal'>()
  const faultWords = useFaultWords()
  const count = view.failed.length
  const hopeless = view.fault !== undefined && endings.has(view.fault)
  return (
    <>
      <Notice kind="danger">
        <p>{count > 0 ? text('portal.failed', { count }) : (faultWords(view.fault) ?? text('error.unexpected'))}</p>
        {/* In the list a phone has no room for it. */}
        {[...new Set(view.failed.map(({ fault }) => faultWords(fault)))].map((why) => (
          <p key={why}>{why}</p>
        ))}
      </Notice>
      <div className="flex flex-wrap gap-2">
        {hopeless ? (
          <button type="button" className="button button-primary" onClick={discard}>
            {text('ui.startAnew')}
          </button>
        ) : (
          <button type="button" className="button button-primary" onClick={upload.goOn}>
            {text('ui.retry')}
          </button>
        )}
        {!hopeless && count > 0 && count < view.files && (
          <button type="button" className="button" onClick={() => upload.leaveOut(view.failed.map(({ n }) => n))}>
            {text('ui.leaveOut', { count })}
          </button>
        )}
        {!hopeless && count > 0 && count >= view.files && (
          <button type="button" className="button" onClick={discard}>
            {text('ui.startAnew')}
          </button>
        )}
      </div>
    </>
  )
}

function useFaultWords(): (fault: string | undefined) => string | undefined {
  const text = useText<'portal'>()
  return (fault) => {
    if (fault === undefined) return undefined
    return endings.has(fault) ? text('portal.fault.ended') : faultSentence(text, fault)
  }
}

function useOffline(): boolean {
  const [offline, setOffline] = useState(!navigator.onLine)
  useEffect(() => {
    const look = () => setOffline(!navigator.onLine)
    addEventListener('online', look)
    addEventListener('offline', look)
    return () => {
      removeEventListener('online', look)
      removeEventListener('offline', look)
    }
  }, [])
  return offline
}
