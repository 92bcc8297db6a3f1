import { History } from 'lucide-react'
import { useFormat, useText } from '#text/use-text.tsx'

interface UnfinishedProps {
  readonly name: string
  readonly files: number
  readonly bytes: number
  /** Milliseconds since 1970. */
  readonly startedAt: number
  readonly goOn: () => void
  readonly discard: () => void
}

/** Offers to go on with what an earlier visit left. */
export function Unfinished({ name, files, bytes, startedAt, goOn, discard }: UnfinishedProps) {
  const text = useText()
  const format = useFormat()
  return (
    <section
      className="card flex flex-wrap items-center gap-x-6 gap-y-4 border-signal p-5"
      aria-label={text('ui.unfinished')}
    >
      <History className="flex-none text-signal" size={24} aria-hidden />
      <div className="min-w-0 flex-1 basis-60">
        <h2>{text('ui.unfinished')}</h2>
        <p className="break-words text-ink-soft">
          {text('ui.unfinished.what', {
            name,
            count: files,
            size: format.bytes(bytes),
            when: format.relative(new Date(startedAt)),
          })}
        </p>
      </div>
      <div className="flex flex-wrap gap-2">
        <button type="button" className="button button-quiet" onClick={discard}>
          {text('ui.unfinished.discard')}
        </button>
        <button type="button" className="button button-primary" onClick={goOn}>
          {text('ui.unfinished.goOn')}
        </button>
      </div>
    </section>
  )
}
