import { ChevronLeft, ChevronRight } from 'lucide-react'
import { useFormat, useText } from '#text/use-text.tsx'

interface PagerProps {
  readonly page: number
  readonly pageSize: number
  readonly total: number
  readonly onPage: (page: number) => void
}

/** "51–100 of 10,000,000", and the way to any of them. */
export function Pager({ page, pageSize, total, onPage }: PagerProps) {
  const text = useText()
  const format = useFormat()
  const last = Math.max(1, Math.ceil(total / pageSize))
  const from = total === 0 ? 0 : (page - 1) * pageSize + 1
  return (
    <nav className="flex flex-wrap items-center justify-between gap-3 px-4 py-3" aria-label={text('pager.label')}>
      <p className="numeric text-sm text-ink-soft">
        {text('pager.range', {
          from: format.number(from),
          to: format.number(Math.min(total, page * pageSize)),
          total: format.number(total),
        })}
      </p>
      {last > 1 && (
        <div className="flex items-center gap-2">
          <button
            type="button"
            className="button button-small button-icon"
            aria-label={text('pager.previous')}
            disabled={page <= 1}
            onClick={() => onPage(page - 1)}
          >
            <ChevronLeft size={17} aria-hidden />
          </button>
          <form
            className="flex items-center gap-2 text-sm"
            onSubmit={(event) => {
              event.preventDefault()
              const asked = Number(new FormData(event.currentTarget).get('page'))
              if (Number.isInteger(asked)) onPage(Math.min(last, Math.max(1, asked)))
            }}
          >
            <input
              key={page}
              name="page"
              className="input numeric min-h-0 w-20 px-2 py-1 text-center"
              type="number"
              min={1}
              max={last}
              defaultValue={page}
              aria-label={text('pager.page')}
            />
            <span className="numeric text-ink-soft">/ {format.number(last)}</span>
          </form>
          <button
            type="button"
            className="button button-small button-icon"
            aria-label={text('pager.next')}
            disabled={page >= last}
            onClick={() => onPage(page + 1)}
          >
            <ChevronRight size={17} aria-hidden />
          </button>
        </div>
      )}
    </nav>
  )
}
