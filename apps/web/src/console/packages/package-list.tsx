import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { Archive, Inbox, PackageOpen, SearchX } from 'lucide-react'
import { useCallback, useState } from 'react'
import { useText } from '#text/use-text.tsx'
import { EmptyState } from '#ui/plain/empty-state.tsx'
import { Pager } from '#ui/plain/pager.tsx'
import { Loaded } from '../frame/loaded.tsx'
import { PageHead } from '../frame/page-head.tsx'
import { useTeam } from '../frame/team.ts'
import { useTimeZone } from '../frame/time-zone.ts'
import { may } from '../session/roles.ts'
import { ArchiveMany } from './archive-many.tsx'
import { PackageFilters } from './package-filters.tsx'
import { PackageTable } from './package-table.tsx'
import { packagesQuery, type Side } from './queries.ts'
import { defaultSort, type PackageSearch, pageSize, searchOf } from './search.ts'

export const SentPage = () => <PackageList side="sent" />
export const ReceivedPage = () => <PackageList side="received" />

function PackageList({ side }: { readonly side: Side }) {
  const text = useText<'console'>()
  const team = useTeam()
  const search: PackageSearch = useSearch({ strict: false })
  const navigate = useNavigate()
  const [isArchiving, setArchiving] = useState(false)
  const packages = useQuery(packagesQuery(team.id, side, search, useTimeZone()))
  const change = useCallback(
    (changed: object) =>
      void navigate({
        to: '.',
        replace: true,
        search: ((before: object) => searchOf({ ...before, page: undefined, ...changed })) as never,
      }),
    [navigate],
  )
  const title = text(side === 'sent' ? 'sent.title' : 'received.title')
  return (
    <>
      <PageHead title={title} about={text(side === 'sent' ? 'sent.about' : 'received.about')}>
        {may(team.policy_key, 'archiveMany') && (
          <button type="button" className="button" onClick={() => setArchiving(true)}>
            <Archive size={17} aria-hidden />
            {text('archive.many')}
          </button>
        )}
      </PageHead>
      <section className="card" aria-busy={packages.isPlaceholderData}>
        <PackageFilters side={side} search={search} onChange={change} />
        <Loaded query={packages}>
          {({ records, metadata }) =>
            records.length === 0 ? (
              <NothingHere side={side} isNarrowed={Object.keys(search).length > 0} />
            ) : (
              <>
                <PackageTable
                  label={title}
                  packages={records}
                  sort={search.sort ?? defaultSort}
                  onSort={(sort) => change({ sort })}
                />
                <Pager
                  page={search.page ?? 1}
                  pageSize={pageSize}
                  total={metadata.total}
                  onPage={(page) => change({ page })}
                />
              </>
            )
          }
        </Loaded>
      </section>
      <ArchiveMany side={side} isOpen={isArchiving} onClose={() => setArchiving(false)} />
    </>
  )
}

function NothingHere({ side, isNarrowed }: { readonly side: Side; readonly isNarrowed: boolean }) {
  const text = useText<'console'>()
  const { subdomain } = useTeam()
  if (isNarrowed) {
    return (
      <EmptyState icon={SearchX} title={text('list.noMatch')}>
        <p>{text('list.noMatchHint')}</p>
      </EmptyState>
    )
  }
  return side === 'sent' ? (
    <EmptyState icon={PackageOpen} title={text('sent.empty')}>
      <p>{text('sent.emptyHint')}</p>
      <Link to="/console/$team/send" params={{ team: subdomain }} className="button button-primary">
        {text('nav.send')}
      </Link>
    </EmptyState>
  ) : (
    <EmptyState icon={Inbox} title={text('received.empty')}>
      <p>{text('received.emptyHint')}</p>
      <Link to="/console/$team/portals" params={{ team: subdomain }} className="button button-primary">
        {text('nav.portals')}
      </Link>
    </EmptyState>
  )
}
