import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { HardDrive, Plus } from 'lucide-react'
import { useState } from 'react'
import { useText } from '#text/use-text.tsx'
import { EmptyState } from '#ui/plain/empty-state.tsx'
import { Loaded } from '../frame/loaded.tsx'
import { PageHead } from '../frame/page-head.tsx'
import { useTeam } from '../frame/team.ts'
import { ConnectionDialog, type Made } from './connection-dialog.tsx'
import { GatewayBadge } from './gateway-badge.tsx'
import { GatewayMade } from './gateway-made.tsx'
import { type Connection, connectionsQuery } from './queries.ts'

export function ConnectionsPage() {
  const text = useText<'console'>()
  const team = useTeam()
  const navigate = useNavigate()
  const connections = useQuery(connectionsQuery(team.id))
  const [isCreating, setCreating] = useState(false)
  const [gateway, setGateway] = useState<Made>()
  const goTo = (connectionId: string) =>
    void navigate({ to: '/console/$team/connections/$connectionId', params: { team: team.subdomain, connectionId } })
  const newConnection = (
    <button type="button" className="button button-primary" onClick={() => setCreating(true)}>
      <Plus size={17} aria-hidden />
      {text('connections.new')}
    </button>
  )
  return (
    <>
      <PageHead title={text('connections.title')} about={text('connections.about')}>
        {newConnection}
      </PageHead>
      <Loaded query={connections}>
        {(listed) => (
          <div className="card table-frame">
            {listed.length === 0 ? (
              <EmptyState icon={HardDrive} title={text('connections.none')}>
                <p>{text('connections.noneHint')}</p>
              </EmptyState>
            ) : (
              <ConnectionTable connections={listed} />
            )}
          </div>
        )}
      </Loaded>
      {isCreating && (
        <ConnectionDialog
          connection={undefined}
          onClose={(made) => {
            setCreating(false)
            if (made?.secret !== undefined) setGateway(made)
            else if (made !== undefined) goTo(made.id)
          }}
        />
      )}
      {gateway?.secret !== undefined && (
        <GatewayMade connection={gateway} secret={gateway.secret} onClose={() => goTo(gateway.id)} />
      )}
    </>
  )
}

function ConnectionTable({ connections }: { readonly connections: readonly Connection[] }) {
  const text = useText<'console'>()
  const team = useTeam()
  return (
    <table className="table" aria-label={text('connections.title')}>
      <thead>
        <tr>
          <th scope="col">{text('connections.name')}</th>
          <th scope="col">{text('connections.kind')}</th>
          <th scope="col" className="max-sm:hidden">
            {text('connections.direction')}
          </th>
          <th scope="col" className="max-md:hidden">
            {text('connections.directory')}
          </th>
        </tr>
      </thead>
      <tbody>
        {connections.map(({ id, name, provider, direction, target_directory }) => (
          <tr key={id}>
            <td>
              <Link
                to="/console/$team/connections/$connectionId"
                params={{ team: team.subdomain, connectionId: id }}
                className="font-semibold hover:underline"
              >
                {name}
              </Link>
            </td>
            <td>
              <span className="flex flex-wrap items-center gap-x-2 gap-y-1">
                {text(`connections.kind.${provider}`)}
                {provider === 'storage_gateway' && <GatewayBadge connectionId={id} />}
              </span>
            </td>
            <td className="text-ink-soft max-sm:hidden">{text(`connections.direction.${direction}`)}</td>
            <td className="font-mono text-sm text-ink-soft max-md:hidden">{target_directory}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
