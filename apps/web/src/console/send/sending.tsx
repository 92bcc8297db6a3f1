import { Link } from '@tanstack/react-router'
import { CircleCheck, Pause, Play } from 'lucide-react'
import { forgetUpload } from '#browser/kept-uploads.ts'
import { waysToMissing } from '#browser/pick.ts'
import { endings, type Upload, type UploadView } from '#browser/upload.ts'
import { useFormat, useText } from '#text/use-text.tsx'
import { EmptyState } from '#ui/plain/empty-state.tsx'
import { MissingFiles } from '#ui/plain/missing-files.tsx'
import { Notice } from '#ui/plain/notice.tsx'
import { ProgressBar } from '#ui/plain/progress-bar.tsx'
import { faultSentence } from '#ui/plain/refusal.tsx'
import { StoreAway } from '#ui/plain/store-away.tsx'
import { UploadList } from '#ui/plain/upload-list.tsx'
import { useTeam } from '../frame/team.ts'

interface SendingProps {
  readonly upload: Upload
  readonly view: UploadView
  readonly packageId: string
  readonly onAnother: () => void
}

/** How far a package is, and what to do when it stops. */
export function Sending({ upload, view, packageId, onAnother }: SendingProps) {
  const text = useText<'console'>()
  const hasEnded = view.fault !== undefined && endings.has(view.fault)
  const startAnew = () => void forgetUpload(packageId).then(onAnother)
  if (view.state === 'complete') return <Sent packageId={packageId} onAnother={onAnother} />
  if (view.state === 'elsewhere') {
    return (
      <Notice kind="warn">
        <p>{text('ui.elsewhere')}</p>
        <button type="button" className="button button-small mt-2" onClick={onAnother}>
          {text('send.another')}
        </button>
      </Notice>
    )
  }
  return (
    <div className="flex flex-col gap-5">
      <section className="card flex flex-col gap-3 p-5" aria-label={text('send.sending')}>
        <Bar view={view} />
        {view.state === 'running' && view.storeAway !== undefined && (
          <StoreAway host={view.storeAway}>{text('send.storeAway')}</StoreAway>
        )}
        {view.state === 'missing files' && <MissingFiles {...waysToMissing(upload, view)} startAnew={startAnew} />}
        {view.state === 'paused' && <p className="text-ink-soft">{text('send.paused')}</p>}
        {view.failed.length > 0 && view.state === 'failed' && (
          <Notice kind="danger">
            <p>{text('send.failed', { count: view.failed.length })}</p>
            {/* In the list a phone has no room for it. */}
            {[...new Set(view.failed.map(({ fault }) => faultSentence(text, fault ?? '')))].map((why) => (
              <p key={why}>{why}</p>
            ))}
          </Notice>
        )}
        {view.failed.length === 0 && view.state === 'failed' && (
          <Notice kind="danger">{text('send.broken', { fault: faultSentence(text, view.fault ?? '') })}</Notice>
        )}
        <div className="flex flex-wrap gap-2">
          {view.state === 'running' && (
            <button type="button" className="button" onClick={upload.pause}>
              <Pause size={17} aria-hidden />
              {text('send.pause')}
            </button>
          )}
          {view.state === 'paused' && (
            <button type="button" className="button button-primary" onClick={upload.goOn}>
              <Play size={17} aria-hidden />
              {text('send.goOn')}
            </button>
          )}
          {view.state === 'failed' && !hasEnded && (
            <button type="button" className="button button-primary" onClick={upload.goOn}>
              {text('send.again')}
            </button>
          )}
          {view.state === 'failed' && (hasEnded || view.failed.length >= view.files) && (
            <button type="button" className={`button ${hasEnded ? 'button-primary' : ''}`} onClick={startAnew}>
              {text('ui.startAnew')}
            </button>
          )}
          {view.state === 'failed' && !hasEnded && view.failed.length > 0 && view.failed.length < view.files && (
            <button type="button" className="button" onClick={() => upload.leaveOut(view.failed.map(({ n }) => n))}>
              {text('ui.leaveOut', { count: view.failed.length })}
            </button>
          )}
        </div>
      </section>
      <div className="card overflow-hidden">
        <UploadList
          label={text('files.title')}
          entries={view.entries}
          problemOf={({ state, fault }) => {
            if (state === 'missing') return text('ui.missing.one')
            return fault === undefined ? undefined : faultSentence(text, fault)
          }}
          retry={upload.goOn}
        />
      </div>
    </div>
  )
}

function Bar({ view }: { readonly view: UploadView }) {
  const text = useText<'console'>()
  const format = useFormat()
  const { bytesPerSecond, secondsLeft } = view.speed
  const share = view.bytes === 0 ? view.done / Math.max(1, view.files) : view.sent / view.bytes
  const told = text('send.told', { done: format.bytes(view.sent), size: format.bytes(view.bytes) })
  return (
    <>
      <ProgressBar label={text('send.sending')} share={Math.min(share, 0.999)} told={told} />
      <p className="numeric text-ink-soft">
        <span className="mr-2 text-xl font-semibold text-ink">{format.percent(Math.min(share, 0.99))}</span>
        {told}
        {view.state === 'running' && <> · {format.rate(bytesPerSecond)}</>}
        {secondsLeft !== undefined && view.state === 'running' && (
          <> · {text('send.left', { time: format.duration(secondsLeft) })}</>
        )}
      </p>
    </>
  )
}

function Sent({ packageId, onAnother }: { readonly packageId: string; readonly onAnother: () => void }) {
  const text = useText<'console'>()
  const team = useTeam()
  return (
    <div className="card">
      <EmptyState icon={CircleCheck} title={text('send.done')}>
        <p>{text('send.doneHint')}</p>
        <div className="flex flex-wrap justify-center gap-2">
          <Link
            to="/console/$team/packages/$packageId"
            params={{ team: team.subdomain, packageId }}
            className="button button-primary"
          >
            {text('send.toPackage')}
          </Link>
          <button type="button" className="button" onClick={onAnother}>
            {text('send.another')}
          </button>
        </div>
      </EmptyState>
    </div>
  )
}
