import { Clock, Link2Off, LoaderCircle, LockKeyhole, SearchX, TriangleAlert } from 'lucide-react'
import { useText } from '#text/use-text.tsx'
import { sentenceOf } from '#ui/plain/refusal.tsx'
import { isRefusal } from './link.ts'

const reasons = {
  package_expired: { Icon: Clock, say: 'expired' },
  link_locked: { Icon: LockKeyhole, say: 'locked' },
  link_inactive: { Icon: Link2Off, say: 'inactive' },
  link_not_found: { Icon: SearchX, say: 'unknown' },
  uploading: { Icon: LoaderCircle, say: 'uploading' },
} as const

/** Why nothing can be fetched here, and what helps. */
export function Closed({ error, retry }: { readonly error: unknown; readonly retry: () => void }) {
  const text = useText<'download'>()
  const reason = reasonOf(error)
  const { Icon } = reason ?? { Icon: TriangleAlert }
  return (
    <section className="card flex flex-col items-start gap-3 p-6 sm:p-8">
      <Icon className="text-ink-faint" size={32} strokeWidth={1.5} aria-hidden />
      <h1>{reason === undefined ? text('error.title') : text(`download.closed.${reason.say}`)}</h1>
      <p className="text-ink-soft">
        {reason === undefined ? sentenceOf(text, error) : text(`download.closed.${reason.say}.hint`)}
      </p>
      {(reason === undefined || reason.say === 'uploading') && (
        <button type="button" className="button" onClick={retry}>
          {text('ui.retry')}
        </button>
      )}
    </section>
  )
}

function reasonOf(error: unknown) {
  // The sender is still uploading: it can be asked for again. A link that was switched off cannot.
  if (isRefusal(error, 'link_inactive') && error.retryAfter !== undefined) return reasons.uploading
  // A link whose id cannot be one is not known either.
  if (isRefusal(error, 'validation_failed')) return reasons.link_not_found
  const name = (['package_expired', 'link_locked', 'link_inactive', 'link_not_found'] as const).find((one) =>
    isRefusal(error, one),
  )
  return name === undefined ? undefined : reasons[name]
}
