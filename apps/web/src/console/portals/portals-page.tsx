import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { DoorOpen, ExternalLink, Plus, Search } from 'lucide-react'
import { useDeferredValue, useState } from 'react'
import { useText } from '#text/use-text.tsx'
import { EmptyState } from '#ui/plain/empty-state.tsx'
import { Pager } from '#ui/plain/pager.tsx'
import { Loaded } from '../frame/loaded.tsx'
import { PageHead } from '../frame/page-head.tsx'
import { useTeam } from '../frame/team.ts'
import { may } from '../session/roles.ts'
import { type Portal, portalsQuery } from './queries.ts'

const pageSize = 50

export function PortalsPage() {
  const text = useText<'console'>()
  const team = useTeam()
  const [page, setPage] = useState(1)
  const [name, setName] = useState('')
  const wanted = useDeferredValue(name.trim())
  const portals = useQuery(
    portalsQuery(team.id, { page, limit: pageSize, sort: 'name', ...(wanted === '' ? {} : { name: wanted }) }),
  )
  const canManage = may(team.policy_key, 'managePortals')
  const newPortal = (
    <Link to="/console/$team/portals/new" params={{ team: team.subdomain }} className="button button-primary">
      <Plus size={17} aria-hidden />
      {text('portals.new')}
    </Link>
  )
  return (
    <>
      <PageHead title={text('portals.title')} about={text('portals.about')}>
        {canManage && newPortal}
      </PageHead>
      <div className="relative mb-4 max-w-sm">
        <Search size={16} aria-hidden className="absolute top-1/2 left-3 -translate-y-1/2 text-ink-faint" />
        <input
          type="search"
          className="input pl-9"
          aria-label={text('filter.name')}
          placeholder={text('filter.name')}
          maxLength={200}
          value={name}
          onChange={(event) => {
            setPage(1)
            setName(event.target.value)
          }}
        />
      </div>
      <Loaded query={portals}>
        {({ records, metadata }) =>
          records.length === 0 ? (
            <div className="card">
              <EmptyState icon={DoorOpen} title={text(wanted === '' ? 'portals.none' : 'list.noMatch')}>
                {wanted === '' && (
                  <>
                    <p>{text('portals.noneHint')}</p>
                    {canManage && newPortal}
                  </>
                )}
              </EmptyState>
            </div>
          ) : (
            <>
              <ul className="grid gap-4 sm:grid-cols-2 xl:grid-cols-3">
                {records.map((portal) => (
                  <li key={portal.id}>
                    <PortalCard portal={portal} canManage={canManage} />
                  </li>
                ))}
              </ul>
              {metadata.total > pageSize && (
                <Pager page={page} pageSize={pageSize} total={metadata.total} onPage={setPage} />
              )}
            </>
          )
        }
      </Loaded>
    </>
  )
}

function PortalCard({ portal, canManage }: { readonly portal: Portal; readonly canManage: boolean }) {
  const text = useText<'console'>()
  const team = useTeam()
  return (
    <article className="card flex h-full flex-col overflow-hidden">
      <div
        className="h-1.5 bg-accent"
        style={portal.primary_color === '' ? {} : { background: portal.primary_color }}
      />
      <div className="flex flex-1 flex-col gap-3 p-5">
        <div className="flex items-start justify-between gap-3">
          <h2 className="wrap-anywhere">
            {canManage ? (
              <Link
                to="/console/$team/portals/$portalId"
                params={{ team: team.subdomain, portalId: portal.id }}
                className="hover:underline"
              >
                {portal.name}
              </Link>
            ) : (
              portal.name
            )}
          </h2>
          <span className={portal.active ? 'badge badge-good' : 'badge'}>
            {text(portal.active ? 'portals.open' : 'portals.closed')}
          </span>
        </div>
        <p className="flex flex-wrap gap-1.5">
          {portal.has_access_code && <span className="badge">{text('portals.withCode')}</span>}
          {portal.access_level === 'private' && <span className="badge">{text('portals.private')}</span>}
          {portal.custom_metadata !== undefined && <span className="badge">{text('portals.withForm')}</span>}
          {portal.tag !== undefined && <span className="badge badge-accent badge-name">{portal.tag.name}</span>}
        </p>
        <div className="mt-auto flex flex-wrap gap-x-4 gap-y-1 text-sm">
          <a className="link inline-flex items-center gap-1" href={portal.url} target="_blank" rel="noreferrer">
            {text('portals.visit')}
            <ExternalLink size={13} aria-hidden />
          </a>
          <Link
            to="/console/$team/inbox"
            params={{ team: team.subdomain }}
            search={{ portal: portal.id }}
            className="link"
          >
            {text('portals.packages')}
          </Link>
        </div>
      </div>
    </article>
  )
}
