import { testConnection } from '@longshore/contract/cloud/connections'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { Pencil, PlugZap, RotateCcwKey, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { useText } from '#text/use-text.tsx'
import { type Action, ActionMenu } from '#ui/kit/action-menu.tsx'
import { Notice } from '#ui/plain/notice.tsx'
import { Refusal } from '#ui/plain/refusal.tsx'
import { BackLink } from '../frame/back-link.tsx'
import { Loaded } from '../frame/loaded.tsx'
import { PageHead } from '../frame/page-head.tsx'
import { useTeam } from '../frame/team.ts'
import { asUser } from '../session/api.ts'
import { ConnectionDialog } from './connection-dialog.tsx'
import { DeleteConnection } from './delete-connection.tsx'
import { FolderView } from './folder-view.tsx'
import { GatewayBadge } from './gateway-badge.tsx'
import { type Connection, connectionsQuery } from './queries.ts'
import { RenewSecret } from './renew-secret.tsx'
import { storeWords } from './store-words.ts'

export function ConnectionPage() {
  const text = useText<'console'>()
  const team = useTeam()
  const { connectionId } = useParams({ from: '/console/$team/connections/$connectionId' })
  const connections = useQuery(connectionsQuery(team.id))
  return (
    <>
      <BackLink to="/console/$team/connections">{text('connections.title')}</BackLink>
      <Loaded query={connections}>
        {(listed) => {
          const connection = listed.find(({ id }) => id === connectionId)
          return connection === undefined ? (
            <Notice kind="danger">{text('connections.gone')}</Notice>
          ) : (
            <Details key={connection.id} connection={connection} />
          )
        }}
      </Loaded>
    </>
  )
}

function Details({ connection }: { readonly connection: Connection }) {
  const text = useText<'console'>()
  const team = useTeam()
  const navigate = useNavigate()
  const [open, setOpen] = useState<'edit' | 'renew' | 'delete'>()
  const close = () => setOpen(undefined)
  const tryOut = useMutation({
    mutationFn: () => asUser(testConnection, { params: { cloud_connection_id: connection.id } }),
  })
  const { name, provider, direction, target_directory } = connection
  // Begins where packages go.
  const { folder = target_directory } = useSearch({ from: '/console/$team/connections/$connectionId' })
  const actions: readonly Action[] = [
    { id: 'edit', label: text('connections.edit'), icon: Pencil, onAction: () => setOpen('edit') },
    ...(provider === 'storage_gateway'
      ? [{ id: 'renew', label: text('gateway.renew'), icon: RotateCcwKey, onAction: () => setOpen('renew') }]
      : []),
    { id: 'delete', label: text('list.delete'), icon: Trash2, isDangerous: true, onAction: () => setOpen('delete') },
  ]
  return (
    <>
      <PageHead title={name}>
        <button type="button" className="button" disabled={tryOut.isPending} onClick={() => tryOut.mutate()}>
          <PlugZap size={17} aria-hidden />
          {text('connections.test')}
        </button>
        <ActionMenu label={text('list.actionsOf', { name })} actions={actions} className="button button-icon" />
      </PageHead>
      <div className="mb-5 flex flex-wrap items-center gap-1.5">
        <span className="badge">{text(`connections.kind.${provider}`)}</span>
        <span className="badge">{text(`connections.direction.${direction}`)}</span>
        {target_directory !== '' && <span className="badge font-mono">{target_directory}</span>}
        {provider === 'storage_gateway' && <GatewayBadge connectionId={connection.id} />}
      </div>
      {(tryOut.data !== undefined || tryOut.error !== null) && (
        <div className="mb-5">
          <Refusal error={tryOut.error} />
          {tryOut.data !== undefined && (
            <Notice kind={tryOut.data.ok ? 'good' : 'danger'}>
              {tryOut.data.ok ? text(`connections.works.${direction}`) : storeWords(text, tryOut.data.message)}
            </Notice>
          )}
        </div>
      )}
      <FolderView
        connection={connection}
        folder={folder}
        onFolder={(wanted) =>
          void navigate({
            to: '/console/$team/connections/$connectionId',
            params: { team: team.subdomain, connectionId: connection.id },
            search: { folder: wanted },
          })
        }
      />
      {open === 'edit' && (
        <ConnectionDialog
          connection={connection}
          onClose={() => {
            close()
            tryOut.reset()
          }}
        />
      )}
      {open === 'renew' && <RenewSecret connection={connection} onClose={close} />}
      {open === 'delete' && (
        <DeleteConnection
          connection={connection}
          onClose={close}
          onDeleted={() => navigate({ to: '/console/$team/connections', params: { team: team.subdomain } })}
        />
      )}
    </>
  )
}
