import { ChevronDown, ChevronRight, Download, File, Folder, Search, ShieldAlert } from 'lucide-react'
import { useDeferredValue, useMemo, useState } from 'react'
import { type Contents, folderOf, marks, openRows, rowsNamed } from '#browser/contents.ts'
import { useFormat, useText } from '#text/use-text.tsx'
import { EmptyState } from '#ui/plain/empty-state.tsx'
import { useRowsInSight } from '#ui/plain/rows-in-sight.ts'

interface TreeProps {
  readonly contents: Contents
  /** Rows of files. */
  readonly selected: ReadonlySet<number>
  readonly select: (rows: ReadonlySet<number>) => void
  readonly fetchFile: (row: number) => void
  readonly fetchSelected: () => void
}

const rowHeight = 48
// More than this, and an open tree is a wall.
const mostOpen = 60

/** The files of a package as a tree, with a search. Draws the rows that are in sight and no others. */
export function Tree({ contents, selected, select, fetchFile, fetchSelected }: TreeProps) {
  const text = useText<'download'>()
  const format = useFormat()
  const [closed, setClosed] = useState<ReadonlySet<number>>(() => closedAtFirst(contents))
  const [search, setSearch] = useState('')
  const wanted = useDeferredValue(search.trim())
  const rows = useMemo(
    () => (wanted === '' ? openRows(contents, closed) : rowsNamed(contents, wanted)),
    [contents, closed, wanted],
  )
  const bytes = useMemo(
    () => [...selected].reduce((sum, row) => sum + (contents.sizes[row] as number), 0),
    [contents, selected],
  )
  const sight = useRowsInSight(rows.length, rowHeight)

  const toggle = (row: number) => {
    const next = new Set(closed)
    if (!next.delete(row)) next.add(row)
    setClosed(next)
  }
  const choose = (row: number, isChosen: boolean) => {
    const next = new Set(selected)
    for (const file of filesWithin(contents, row)) {
      if (isChosen) next.add(file)
      else next.delete(file)
    }
    select(next)
  }

  return (
    <section className="card overflow-hidden" aria-label={text('download.files')}>
      <div className="flex flex-wrap items-center gap-3 border-b border-line p-3">
        <label className="relative min-w-0 flex-1 basis-52">
          <Search className="absolute top-1/2 left-3 -translate-y-1/2 text-ink-faint" size={16} aria-hidden />
          <input
            className="input pl-9"
            type="search"
            aria-label={text('download.search')}
            placeholder={text('download.search')}
            value={search}
            onChange={({ target }) => setSearch(target.value)}
          />
        </label>
        {selected.size > 0 && (
          <button type="button" className="button button-primary max-sm:w-full" onClick={fetchSelected}>
            <Download size={16} aria-hidden />
            {text('download.some', {
              count: selected.size,
              number: format.number(selected.size),
              size: format.bytes(bytes),
            })}
          </button>
        )}
      </div>
      {rows.length === 0 ? (
        <EmptyState icon={Search} title={text(wanted === '' ? 'download.empty' : 'download.nothingFound')} />
      ) : (
        // A list that scrolls must be reached by the keyboard.
        <div
          ref={sight.frame}
          className="overflow-y-auto"
          style={{ height: Math.min(sight.height, 11 * rowHeight) }}
          tabIndex={0}
          role="group"
          aria-label={text('download.files')}
        >
          <div role="list" className="relative" style={{ height: sight.height }}>
            {sight.rows.map(({ index, start }) => {
              const row = rows[index] as number
              return (
                <div
                  key={row}
                  role="listitem"
                  aria-setsize={rows.length}
                  aria-posinset={index + 1}
                  className="absolute inset-x-0 top-0 flex items-center gap-2 border-b border-line px-3"
                  style={{ height: rowHeight, transform: `translateY(${start}px)` }}
                >
                  <Row
                    contents={contents}
                    row={row}
                    searching={wanted !== ''}
                    open={!closed.has(row)}
                    selected={selected}
                    toggle={toggle}
                    choose={choose}
                    fetchFile={fetchFile}
                  />
                </div>
              )
            })}
          </div>
        </div>
      )}
    </section>
  )
}

interface RowProps {
  readonly contents: Contents
  readonly row: number
  readonly searching: boolean
  readonly open: boolean
  readonly selected: ReadonlySet<number>
  readonly toggle: (row: number) => void
  readonly choose: (row: number, isChosen: boolean) => void
  readonly fetchFile: (row: number) => void
}

function Row({ contents, row, searching, open, selected, toggle, choose, fetchFile }: RowProps) {
  const text = useText<'download'>()
  const format = useFormat()
  const name = contents.names[row] as string
  const isFolder = contents.isFolder[row] === 1
  const isInfected = ((contents.marks[row] as number) & marks.infected) !== 0
  const chosen = chosenWithin(contents, row, selected)
  const Icon = isInfected ? ShieldAlert : isFolder ? Folder : File
  const folder = searching ? folderOf(contents, row) : ''
  return (
    <>
      <input
        type="checkbox"
        className="tick m-0!"
        aria-label={text('download.select', { name })}
        disabled={isInfected || chosen.of === 0}
        checked={chosen.of > 0 && chosen.count === chosen.of}
        ref={(box) => {
          if (box !== null) box.indeterminate = chosen.count > 0 && chosen.count < chosen.of
        }}
        onChange={({ target }) => choose(row, target.checked)}
      />
      <div
        className="flex min-w-0 flex-1 items-center gap-2"
        // However deep it lies, there is room for its name.
        style={{ paddingInlineStart: searching ? 0 : `min(${(contents.depths[row] as number) * 18}px, 30%)` }}
      >
        {isFolder ? (
          <button
            type="button"
            className="flex min-w-0 cursor-pointer items-center gap-2 py-2 text-start"
            aria-expanded={open}
            onClick={() => toggle(row)}
          >
            {open ? (
              <ChevronDown className="flex-none" size={16} aria-hidden />
            ) : (
              <ChevronRight className="flex-none" size={16} aria-hidden />
            )}
            <Icon className="flex-none text-ink-faint" size={18} aria-hidden />
            <bdi className="truncate font-medium">{name}</bdi>
          </button>
        ) : (
          <>
            <Icon
              className={`flex-none ${isInfected ? 'text-danger' : 'text-ink-faint'} ${searching ? '' : 'ml-6'}`}
              size={18}
              aria-hidden
            />
            <div className="min-w-0">
              <p className="truncate" title={name}>
                <bdi>{name}</bdi>
              </p>
              {folder !== '' && (
                <p className="truncate text-sm leading-4 text-ink-soft">
                  <bdi>{folder}</bdi>
                </p>
              )}
            </div>
          </>
        )}
      </div>
      {isInfected && (
        <span className="badge badge-danger">
          <span className="max-sm:hidden">{text('download.virus')}</span>
          <span className="sm:hidden">{text('download.virus.short')}</span>
        </span>
      )}
      <span className="numeric flex-none text-sm text-ink-soft">{format.bytes(contents.sizes[row] as number)}</span>
      {isFolder ? (
        <span className="w-7.5 flex-none" />
      ) : (
        <button
          type="button"
          className="button button-quiet button-icon button-small"
          aria-label={text('download.one', { name })}
          disabled={isInfected}
          onClick={() => fetchFile(row)}
        >
          <Download size={16} aria-hidden />
        </button>
      )}
    </>
  )
}

function closedAtFirst({ names, isFolder, ends }: Contents): ReadonlySet<number> {
  const closed = new Set<number>()
  if (names.length <= mostOpen) return closed
  for (let row = 0; row < names.length; row++) if (isFolder[row] === 1) closed.add(row)
  // A single folder around everything says nothing as long as it is closed.
  if (ends[0] === names.length) closed.delete(0)
  return closed
}

/** The files of a row: itself, or all that are inside and may be fetched. */
function* filesWithin({ isFolder, ends, marks: marked }: Contents, row: number): Generator<number> {
  for (let at = row; at < (ends[row] as number); at++) {
    if (isFolder[at] === 0 && ((marked[at] as number) & marks.infected) === 0) yield at
  }
}

function chosenWithin(contents: Contents, row: number, selected: ReadonlySet<number>): { count: number; of: number } {
  if (selected.size === 0 && contents.isFolder[row] === 1) return { count: 0, of: contents.fileCounts[row] as number }
  let [count, of] = [0, 0]
  for (const file of filesWithin(contents, row)) {
    of++
    if (selected.has(file)) count++
  }
  return { count, of }
}
