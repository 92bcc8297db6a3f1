import { deleteConnection } from '@longshore/contract/cloud/connections'
import { listPortals } from '@longshore/contract/cloud/portals'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useText } from '#text/use-text.tsx'
import { ConfirmDialog } from '#ui/kit/confirm-dialog.tsx'
import { useTeam } from '../frame/team.ts'
import type { Portal } from '../portals/queries.ts'
import { asUser } from '../session/api.ts'
import type { Connection } from './queries.ts'

interface DeleteConnectionProps {
  readonly connection: Connection
  readonly onClose: () => void
  readonly onDeleted: () => Promise<void>
}

/** Asks once more, and says what stops: which Portals send nothing there any more, and what becomes of transfers. */
export function DeleteConnection({ connection, onClose, onDeleted }: DeleteConnectionProps) {
  const text = useText<'console'>()
  const team = useTeam()
  const client = useQueryClient()
  const { data: portals = [] } = useQuery({
    queryKey: ['portals', team.id, 'sending to', connection.id],
    queryFn: ({ signal }) => portalsSendingTo(team.id, connection.id, signal),
  })
  const remove = useMutation({
    mutationFn: () => asUser(deleteConnection, { params: { cloud_connection_id: connection.id } }),
    onSuccess: async () => {
      await onDeleted()
      await client.invalidateQueries({ queryKey: ['connections'] })
      await client.invalidateQueries({ queryKey: ['portals'] })
    },
  })
  return (
    <ConfirmDialog
      title={text('connections.deleteTitle', { name: connection.name })}
      action={text('list.delete')}
      isOpen
      isPending={remove.isPending}
      error={remove.error}
      onConfirm={() => remove.mutate()}
      onClose={onClose}
    >
      <p>{text(`connections.deleteHint.${connection.provider}`)}</p>
      {portals.length > 0 && (
        <>
          <p className="mt-3">{text('connections.deletePortals')}</p>
          <ul className="mt-1 list-inside list-disc">
            {portals.map(({ id, name }) => (
              <li key={id} className="wrap-anywhere">
                {name}
              </li>
            ))}
          </ul>
        </>
      )}
    </ConfirmDialog>
  )
}

async function portalsSendingTo(teamId: string, connectionId: string, signal: AbortSignal): Promise<readonly Portal[]> {
  const found: Portal[] = []
  for (let page = 1, read = 0, total = 1; read < total; page += 1) {
    const { records, metadata } = await asUser(listPortals, { params: { team_id: teamId }, query: { page } }, signal)
    found.push(...records.filter((portal) => portal.cloud_connections?.some(({ id }) => id === connectionId)))
    read += records.length
    // A page without records ends it, whatever the total says.
    total = records.length === 0 ? 0 : metadata.total
  }
  return found
}
