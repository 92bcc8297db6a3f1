import { useFormat, useText } from '#text/use-text.tsx'
import { ProgressBar } from '#ui/plain/progress-bar.tsx'
import { useProgress } from '../live/progress.ts'
import type { Package } from './queries.ts'

/** How far the sender is, as it comes in. */
export function UploadProgress({ pkg }: { readonly pkg: Package }) {
  const text = useText<'console'>()
  const format = useFormat()
  const progress = useProgress(pkg.id)
  const share = progress === undefined || progress.size === 0 ? undefined : progress.uploaded_bytes / progress.size
  const told =
    progress === undefined
      ? text('progress.waiting')
      : text('progress.told', {
          done: format.bytes(progress.uploaded_bytes),
          size: format.bytes(progress.size),
          files: format.number(progress.files_done),
          count: progress.total_files,
          total: format.number(progress.total_files),
        })
  return (
    <section className="card mb-5 flex flex-col gap-2.5 p-5">
      <div className="flex justify-between gap-4">
        <h2>{text('progress.title')}</h2>
        {share !== undefined && <span className="numeric font-semibold">{format.percent(share)}</span>}
      </div>
      <ProgressBar label={text('progress.title')} share={share} told={told} />
      <p className="numeric text-sm text-ink-soft">{told}</p>
    </section>
  )
}
