import { CircleAlert, CircleCheck, File, Folder, RotateCw, X } from 'lucide-react'
import { useFormat, useText } from '#text/use-text.tsx'
import { useRowsInSight } from './rows-in-sight.ts'

export interface ListedUpload {
  readonly n: number
  readonly kind: 'file' | 'directory'
  readonly name: string
  readonly path: string
  readonly size: number
  readonly state: 'waiting' | 'moving' | 'done' | 'failed' | 'missing'
  readonly sent: number
}

interface UploadListProps<Entry extends ListedUpload> {
  readonly label: string
  readonly entries: readonly Entry[]
  /** What is wrong with an entry, in words. */
  readonly problemOf: (entry: Entry) => string | undefined
  /** Where left out, entries stay. */
  readonly remove?: ((entry: Entry) => void) | undefined
  readonly retry?: ((entry: Entry) => void) | undefined
}

const rowHeight = 52

/** Files on their way. Draws the rows that are in sight and no others. */
export function UploadList<Entry extends ListedUpload>({ label, entries, ...more }: UploadListProps<Entry>) {
  const { frame, height, rows } = useRowsInSight(entries.length, rowHeight)
  return (
    // A list that scrolls must be reached by the keyboard.
    <div
      ref={frame}
      className="overflow-y-auto"
      style={{ height: Math.min(height, 7 * rowHeight) }}
      tabIndex={0}
      role="group"
      aria-label={label}
    >
      <div role="list" className="relative" style={{ height }}>
        {rows.map(({ index, start }) => {
          const entry = entries[index] as Entry
          return (
            <div
              key={entry.n}
              role="listitem"
              aria-setsize={entries.length}
              aria-posinset={index + 1}
              className="absolute inset-x-0 top-0 flex items-center gap-3 border-t border-line px-4 first:border-t-0"
              style={{ height: rowHeight, transform: `translateY(${start}px)` }}
            >
              <Row entry={entry} {...more} />
            </div>
          )
        })}
      </div>
    </div>
  )
}

function Row<Entry extends ListedUpload>({
  entry,
  problemOf,
  remove,
  retry,
}: Omit<UploadListProps<Entry>, 'entries' | 'label'> & { readonly entry: Entry }) {
  const text = useText()
  const format = useFormat()
  const problem = problemOf(entry)
  const Icon = entry.kind === 'directory' ? Folder : File
  return (
    <>
      {problem === undefined ? (
        <Icon className="flex-none text-ink-faint" size={18} aria-hidden />
      ) : (
        <CircleAlert className="flex-none text-danger" size={18} aria-hidden />
      )}
      <div className="min-w-0 flex-1">
        <p className="truncate leading-5" title={entry.name}>
          <bdi>{entry.name}</bdi>
        </p>
        <p className={`truncate text-sm leading-5 ${problem === undefined ? 'text-ink-soft' : 'text-danger'}`}>
          {problem ?? (entry.path === '' ? ' ' : <bdi>{entry.path}</bdi>)}
        </p>
      </div>
      <span className="numeric flex-none text-sm text-ink-soft">
        {entry.state === 'moving' && entry.size > 0
          ? format.percent(Math.min(0.99, entry.sent / entry.size))
          : entry.kind === 'file' && format.bytes(entry.size)}
      </span>
      {entry.state === 'done' && (
        <CircleCheck className="flex-none text-good" size={18} role="img" aria-label={text('ui.sent')} />
      )}
      {entry.state === 'failed' && retry !== undefined && (
        <button
          type="button"
          className="button button-quiet button-icon button-small"
          aria-label={text('ui.retryFile', { name: entry.name })}
          onClick={() => retry(entry)}
        >
          <RotateCw size={16} aria-hidden />
        </button>
      )}
      {remove !== undefined && (
        <button
          type="button"
          className="button button-quiet button-icon button-small"
          aria-label={text('ui.removeFile', { name: entry.name })}
          onClick={() => remove(entry)}
        >
          <X size={16} aria-hidden />
        </button>
      )}
    </>
  )
}
