import { History } from 'lucide-react'
import { askToRead } from '#browser/collect.ts'
import { forgetUpload, type KeptUpload } from '#browser/kept-uploads.ts'
import { useFormat, useText } from '#text/use-text.tsx'

interface UnfinishedProps {
  readonly kept: KeptUpload
  readonly goOn: (granted: boolean) => void
  readonly forgotten: () => void
}

/** Offers to go on with what an earlier visit left. */
export function Unfinished({ kept, goOn, forgotten }: UnfinishedProps) {
  const text = useText<'portal'>()
  const format = useFormat()
  const resume = async () => goOn(kept.roots.length > 0 && (await askToRead(kept.roots)))
  const discard = async () => {
    await forgetUpload(kept.id)
    forgotten()
  }
  return (
    <section
      className="card flex flex-wrap items-center gap-x-6 gap-y-4 border-signal p-5"
      aria-label={text('portal.unfinished')}
    >
      <History className="flex-none text-signal" size={24} aria-hidden />
      <div className="min-w-0 flex-1 basis-60">
        <h2>{text('portal.unfinished')}</h2>
        <p className="break-words text-ink-soft">
          {text('portal.unfinished.what', {
            name: kept.name,
            count: kept.files,
            size: format.bytes(kept.bytes),
            when: format.relative(new Date(kept.startedAt)),
          })}
        </p>
      </div>
      <div className="flex flex-wrap gap-2">
        <button type="button" className="button button-quiet" onClick={() => void discard()}>
          {text('portal.unfinished.discard')}
        </button>
        <button type="button" className="button button-primary" onClick={() => void resume()}>
          {text('portal.unfinished.goOn')}
        </button>
      </div>
    </section>
  )
}
