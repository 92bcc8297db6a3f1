import { deleteApiKey, listApiKeys, switchApiKey } from '@longshore/contract/cloud/api-keys'
import type { ReplyOf } from '@longshore/contract/endpoint'
import { zeroTime } from '@longshore/contract/limits'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { KeyRound, Plus, Power, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { useFormat, useText } from '#text/use-text.tsx'
import { type Action, ActionMenu } from '#ui/kit/action-menu.tsx'
import { ConfirmDialog } from '#ui/kit/confirm-dialog.tsx'
import { EmptyState } from '#ui/plain/empty-state.tsx'
import { Refusal } from '#ui/plain/refusal.tsx'
import { Loaded } from '../frame/loaded.tsx'
import { PageHead } from '../frame/page-head.tsx'
import { useTeam } from '../frame/team.ts'
import { asUser } from '../session/api.ts'
import { NewKeyDialog } from './new-key-dialog.tsx'

type Key = ReplyOf<typeof listApiKeys>[number]

export function KeysPage() {
  const text = useText<'console'>()
  const format = useFormat()
  const team = useTeam()
  const client = useQueryClient()
  const [isCreating, setCreating] = useState(false)
  const [doomed, setDoomed] = useState<Key>()
  const keys = useQuery({
    queryKey: ['keys', team.id],
    queryFn: ({ signal }) => asUser(listApiKeys, { params: { team_id: team.id } }, signal),
  })
  const renew = () => client.invalidateQueries({ queryKey: ['keys'] })
  const turn = useMutation({
    mutationFn: ({ id, state }: Key) =>
      asUser(switchApiKey, { params: { api_key_id: id, action: state === 'active' ? 'inactive' : 'active' } }),
    onSuccess: renew,
  })
  const remove = useMutation({
    mutationFn: (id: string) => asUser(deleteApiKey, { params: { api_key_id: id } }),
    onSuccess: async () => {
      setDoomed(undefined)
      await renew()
    },
  })
  const actionsOf = (key: Key): readonly Action[] => [
    ...(key.state === 'suspended'
      ? []
      : [
          {
            id: 'switch',
            label: text(key.state === 'active' ? 'keys.switchOff' : 'keys.switchOn'),
            icon: Power,
            onAction: () => turn.mutate(key),
          },
        ]),
    { id: 'delete', label: text('list.delete'), icon: Trash2, isDangerous: true, onAction: () => setDoomed(key) },
  ]
  return (
    <>
      <PageHead title={text('keys.title')} about={text('keys.about')}>
        <button type="button" className="button button-primary" onClick={() => setCreating(true)}>
          <Plus size={17} aria-hidden />
          {text('keys.new')}
        </button>
      </PageHead>
      <Refusal error={turn.error} />
      <Loaded query={keys}>
        {(listed) => (
          <div className="card table-frame">
            {listed.length === 0 ? (
              <EmptyState icon={KeyRound} title={text('keys.none')}>
                <p>{text('keys.noneHint')}</p>
              </EmptyState>
            ) : (
              <table className="table" aria-label={text('keys.title')}>
                <thead>
                  <tr>
                    <th scope="col">{text('keys.name')}</th>
                    <th scope="col">{text('package.status')}</th>
                    <th scope="col" className="max-sm:hidden">
                      {text('keys.lastUsed')}
                    </th>
                    <th scope="col" className="max-md:hidden">
                      {text('package.expiry')}
                    </th>
                    <th scope="col">
                      <span className="sr-only">{text('list.actions')}</span>
                    </th>
                  </tr>
                </thead>
                <tbody>
                  {listed.map((key) => (
                    <tr key={key.id}>
                      <td>
                        <span className="font-semibold">{key.name === '' ? text('keys.unnamed') : key.name}</span>
                        {key.description !== '' && (
                          <span className="block text-sm text-ink-soft">{key.description}</span>
                        )}
                      </td>
                      <td>
                        <span className={key.state === 'active' ? 'badge badge-good' : 'badge badge-warn'}>
                          {text(`keys.state.${key.state}`)}
                        </span>
                      </td>
                      <td className="text-ink-soft max-sm:hidden">
                        {key.last_request_at === zeroTime ? text('keys.never') : format.relative(key.last_request_at)}
                      </td>
                      <td className="text-ink-soft max-md:hidden">
                        {key.expiry === zeroTime ? text('package.neverExpires') : format.dateTime(key.expiry)}
                      </td>
                      <td className="end">
                        <ActionMenu label={text('list.actionsOf', { name: key.name })} actions={actionsOf(key)} />
                      </td>
                    </tr>
                  ))}
                </tbody>
              </table>
            )}
          </div>
        )}
      </Loaded>
      {isCreating && <NewKeyDialog onClose={() => setCreating(false)} />}
      <ConfirmDialog
        title={text('keys.deleteTitle', { name: doomed?.name ?? '' })}
        action={text('list.delete')}
        isOpen={doomed !== undefined}
        isPending={remove.isPending}
        error={remove.error}
        onConfirm={() => doomed !== undefined && remove.mutate(doomed.id)}
        onClose={() => setDoomed(undefined)}
      >
        {text('keys.deleteHint')}
      </ConfirmDialog>
    </>
  )
}
