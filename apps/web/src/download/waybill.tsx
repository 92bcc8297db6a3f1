import { BadgeCheck, FileCheck, Hourglass } from 'lucide-react'
import { useMemo, useState } from 'react'
import { type Contents, marks } from '#browser/contents.ts'
import { useText } from '#text/use-text.tsx'
import { Refusal } from '#ui/plain/refusal.tsx'
import { type OpenedLink, waybillOf } from './link.ts'

/** Whether what is stored is what was sent, and a signed list to prove it later. */
export function Waybill({ link, contents }: { readonly link: OpenedLink; readonly contents: Contents }) {
  const text = useText<'download'>()
  const [error, setError] = useState<unknown>()
  const isVerified = useMemo(() => allMarked(contents, marks.verified), [contents])

  const save = async () => {
    setError(undefined)
    try {
      const bill = new Blob([JSON.stringify(await waybillOf(link), undefined, 2)], { type: 'application/json' })
      saveAs(bill, `${link.package_id}.waybill.json`)
    } catch (refused) {
      setError(refused)
    }
  }

  return (
    <section className="card flex flex-col gap-3 p-5 sm:p-6">
      <div className="flex flex-wrap items-center gap-3">
        <h2>{text('download.waybill')}</h2>
        {isVerified ? (
          <span className="badge badge-good">
            <BadgeCheck size={14} aria-hidden />
            {text('download.verified')}
          </span>
        ) : (
          <span className="badge">
            <Hourglass size={14} aria-hidden />
            {text('download.notVerified')}
          </span>
        )}
      </div>
      <p className="text-sm text-ink-soft">
        {text(isVerified ? 'download.verified.meaning' : 'download.notVerified.meaning')}
      </p>
      <p className="text-sm text-ink-soft">{text('download.waybill.meaning')}</p>
      <Refusal error={error} />
      <button type="button" className="button self-start" onClick={() => void save()}>
        <FileCheck size={16} aria-hidden />
        {text('download.waybill.save')}
      </button>
    </section>
  )
}

function allMarked({ isFolder, marks: marked }: Contents, mark: number): boolean {
  for (let row = 0; row < isFolder.length; row++) {
    if (isFolder[row] === 0 && ((marked[row] as number) & mark) === 0) return false
  }
  return isFolder.length > 0
}

function saveAs(blob: Blob, name: string): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(blob)
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000)
}
