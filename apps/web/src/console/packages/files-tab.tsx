import { listFiles } from '@longshore/contract/cloud/files'
import { useQuery } from '@tanstack/react-query'
import { ChevronDown, ChevronRight, FileText, Folder, FolderOpen, Search, SearchX } from 'lucide-react'
import { useDeferredValue, useMemo, useState } from 'react'
import { useFormat, useText } from '#text/use-text.tsx'
import { EmptyState } from '#ui/plain/empty-state.tsx'
import { useRowsInSight } from '#ui/plain/rows-in-sight.ts'
import { Loaded } from '../frame/loaded.tsx'
import { withPackageToken } from '../session/api.ts'
import { type ListedFile, matchingRows, type Row, rowsOf, treeOf } from './file-tree.ts'
import type { Package } from './queries.ts'

const rowHeight = 40
const openUpTo = 500

/** The files of a package, as a tree that stays quick with a hundred thousand of them. */
export function FilesTab({ pkg }: { readonly pkg: Package }) {
  const files = useQuery({
    queryKey: ['packages', pkg.team_id, 'files', pkg.id],
    queryFn: () => withPackageToken(pkg.access_token ?? '', listFiles, { params: { package_id: pkg.id } }),
  })
  return <Loaded query={files}>{(listed) => <FileTree files={listed} />}</Loaded>
}

function FileTree({ files }: { readonly files: readonly ListedFile[] }) {
  const text = useText<'console'>()
  const [words, setWords] = useState('')
  const wanted = useDeferredValue(words.trim())
  // Folders of a small package are open from the start; a large one would bury its own shape.
  const [turned, setTurned] = useState<ReadonlySet<string>>(new Set())
  const openAtFirst = files.length <= openUpTo
  const tree = useMemo(() => treeOf(files), [files])
  const rows = useMemo(
    () => (wanted === '' ? rowsOf(tree, (path) => openAtFirst !== turned.has(path)) : matchingRows(files, wanted)),
    [tree, files, wanted, turned, openAtFirst],
  )
  const turn = (path: string) => {
    const next = new Set(turned)
    if (!next.delete(path)) next.add(path)
    setTurned(next)
  }
  if (files.every(({ kind }) => kind.startsWith('zip'))) {
    return <EmptyState icon={Folder} title={text('files.none')} />
  }
  return (
    <div className="flex flex-col gap-3">
      <div className="relative max-w-sm">
        <Search size={16} aria-hidden className="absolute top-1/2 left-3 -translate-y-1/2 text-ink-faint" />
        <input
          type="search"
          className="input pl-9"
          aria-label={text('files.search')}
          placeholder={text('files.search')}
          value={words}
          onChange={(event) => setWords(event.target.value)}
        />
      </div>
      {rows.length === 0 ? (
        <EmptyState icon={SearchX} title={text('list.noMatch')} />
      ) : (
        <Rows rows={rows} onTurn={turn} />
      )}
    </div>
  )
}

function Rows({ rows, onTurn }: { readonly rows: readonly Row[]; readonly onTurn: (path: string) => void }) {
  const text = useText<'console'>()
  const sight = useRowsInSight(rows.length, rowHeight)
  return (
    <div
      ref={sight.frame}
      className="card max-h-[60vh] overflow-auto"
      role="region"
      aria-label={text('files.title')}
      tabIndex={0}
    >
      <ul className="relative" style={{ height: sight.height }}>
        {sight.rows.map(({ index, start }) => {
          const row = rows[index]
          if (row === undefined) return null
          return (
            <li
              key={row.kind === 'folder' ? `/${row.folder.path}` : row.file.id}
              className="absolute inset-x-0 flex items-center gap-2 border-b border-line pr-4"
              style={{ height: rowHeight, top: start, paddingInlineStart: `min(${0.75 + row.depth * 1.25}rem, 30%)` }}
            >
              {row.kind === 'folder' ? <FolderRow row={row} onTurn={onTurn} /> : <FileRow file={row.file} />}
            </li>
          )
        })}
      </ul>
    </div>
  )
}

function FolderRow({
  row,
  onTurn,
}: {
  readonly row: Row & { kind: 'folder' }
  readonly onTurn: (path: string) => void
}) {
  const text = useText<'console'>()
  const format = useFormat()
  const { folder, isOpen } = row
  const Arrow = isOpen ? ChevronDown : ChevronRight
  const Icon = isOpen ? FolderOpen : Folder
  return (
    <>
      <button
        type="button"
        className="flex min-w-0 flex-1 cursor-pointer items-center gap-2 py-1.5 text-start font-medium"
        aria-expanded={isOpen}
        onClick={() => onTurn(folder.path)}
      >
        <Arrow size={16} aria-hidden className="flex-none text-ink-faint" />
        <Icon size={17} aria-hidden className="flex-none text-accent" />
        <bdi className="truncate">{folder.name}</bdi>
      </button>
      <span className="numeric text-sm whitespace-nowrap text-ink-soft">
        {text('package.files', { count: folder.count, number: format.number(folder.count) })} ·{' '}
        {format.bytes(folder.size)}
      </span>
    </>
  )
}

function FileRow({ file }: { readonly file: ListedFile }) {
  const text = useText<'console'>()
  const format = useFormat()
  return (
    <>
      <FileText size={17} aria-hidden className="ml-6 flex-none text-ink-faint" />
      <bdi className="min-w-0 flex-1 truncate" title={file.path === '' ? file.name : `${file.path}/${file.name}`}>
        {file.name}
      </bdi>
      {file.virus_detected && <span className="badge badge-danger">{text('package.virus')}</span>}
      {file.integrity === 'damaged' && <span className="badge badge-danger">{text('files.damaged')}</span>}
      {file.state !== undefined && file.state !== 'finalized' && (
        <span className="badge badge-signal">{text('state.new')}</span>
      )}
      {file.scan === 'not_scanned' && <span className="badge max-sm:hidden">{text('files.notScanned')}</span>}
      <span className="numeric text-sm whitespace-nowrap text-ink-soft">{format.bytes(file.size ?? 0)}</span>
    </>
  )
}
