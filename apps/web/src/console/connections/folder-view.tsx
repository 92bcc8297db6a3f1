import { useInfiniteQuery } from '@tanstack/react-query'
import { FolderOpen, RotateCw } from 'lucide-react'
import { useText } from '#text/use-text.tsx'
import { EmptyState } from '#ui/plain/empty-state.tsx'
import { MoreButton } from '../frame/more-button.tsx'
import { FolderCrumbs } from './folder-crumbs.tsx'
import { FolderFault } from './folder-fault.tsx'
import { type Choice, FolderTable } from './folder-table.tsx'
import { type Connection, folderQuery } from './queries.ts'

interface FolderViewProps {
  readonly connection: Connection
  readonly folder: string
  readonly onFolder: (folder: string) => void
  /** Where some of the entries are to be chosen. */
  readonly choice?: Choice
}

/** One folder in the storage of a connection, page by page. */
export function FolderView({ connection, folder, onFolder, choice }: FolderViewProps) {
  const text = useText<'console'>()
  const query = useInfiniteQuery(folderQuery(connection.id, folder))
  const entries = query.data?.pages.flatMap(({ files }) => files) ?? []
  return (
    <section className="card" aria-label={text('files.title')}>
      <div className="flex items-center justify-between gap-3 border-b border-line px-5 py-2.5">
        <FolderCrumbs folder={folder} onFolder={onFolder} />
        <button
          type="button"
          className="button button-quiet button-icon"
          aria-label={text('folder.again')}
          disabled={query.isFetching}
          onClick={() => void query.refetch()}
        >
          <RotateCw size={17} aria-hidden />
        </button>
      </div>
      {query.isPending && (
        <div className="flex flex-col gap-3 p-5" role="status" aria-label={text('ui.loading')}>
          <div className="skeleton h-7" />
          <div className="skeleton h-7 w-2/3" />
        </div>
      )}
      {query.error !== null && <FolderFault connection={connection} error={query.error} />}
      {query.isSuccess && entries.length === 0 && <EmptyState icon={FolderOpen} title={text('folder.empty')} />}
      {query.isSuccess && entries.length > 0 && <FolderTable entries={entries} onFolder={onFolder} choice={choice} />}
      {query.isSuccess && <MoreButton query={query}>{text('folder.more')}</MoreButton>}
    </section>
  )
}
