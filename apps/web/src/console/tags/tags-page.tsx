import { createTag, deleteTag } from '@longshore/contract/cloud/tags'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Tags, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { useFormat, useText } from '#text/use-text.tsx'
import { ConfirmDialog } from '#ui/kit/confirm-dialog.tsx'
import { EmptyState } from '#ui/plain/empty-state.tsx'
import { Refusal } from '#ui/plain/refusal.tsx'
import { Loaded } from '../frame/loaded.tsx'
import { PageHead } from '../frame/page-head.tsx'
import { useTeam } from '../frame/team.ts'
import { asUser } from '../session/api.ts'
import { may } from '../session/roles.ts'
import { tagsQuery } from './queries.ts'

export function TagsPage() {
  const text = useText<'console'>()
  const format = useFormat()
  const team = useTeam()
  const client = useQueryClient()
  const tags = useQuery(tagsQuery(team.id))
  const [doomed, setDoomed] = useState<{ readonly id: string; readonly name: string }>()
  const renew = () => client.invalidateQueries({ queryKey: ['tags'] })
  const add = useMutation({
    mutationFn: (name: string) => asUser(createTag, { params: { team_id: team.id }, body: { name } }),
    onSuccess: renew,
  })
  const remove = useMutation({
    mutationFn: (id: string) => asUser(deleteTag, { params: { tag_id: id } }),
    onSuccess: async () => {
      setDoomed(undefined)
      await renew()
    },
  })
  return (
    <>
      <PageHead title={text('tags.title')} about={text('tags.about')} />
      <form
        className="mb-5 flex max-w-md gap-2"
        onSubmit={(event) => {
          event.preventDefault()
          const form = event.currentTarget
          const name = new FormData(form).get('name')
          if (typeof name === 'string' && name.trim() !== '') add.mutate(name.trim(), { onSuccess: () => form.reset() })
        }}
      >
        <input
          name="name"
          className="input"
          required
          maxLength={100}
          aria-label={text('tags.name')}
          placeholder={text('tags.name')}
        />
        <button type="submit" className="button button-primary" disabled={add.isPending}>
          {text('tags.add')}
        </button>
      </form>
      <Refusal error={add.error} />
      <Loaded query={tags}>
        {(listed) => (
          <div className="card table-frame">
            {listed.length === 0 ? (
              <EmptyState icon={Tags} title={text('tags.none')} />
            ) : (
              <table className="table" aria-label={text('tags.title')}>
                <thead>
                  <tr>
                    <th scope="col">{text('tags.name')}</th>
                    <th scope="col">{text('package.created')}</th>
                    <th scope="col">
                      <span className="sr-only">{text('list.actions')}</span>
                    </th>
                  </tr>
                </thead>
                <tbody>
                  {listed.map((tag) => (
                    <tr key={tag.id}>
                      <td>
                        <Link
                          to="/console/$team/packages"
                          params={{ team: team.subdomain }}
                          search={{ tag: tag.id }}
                          className="badge badge-accent badge-name hover:underline"
                        >
                          {tag.name}
                        </Link>
                      </td>
                      <td className="text-ink-soft">{format.date(tag.created_at)}</td>
                      <td className="end">
                        {may(team.policy_key, 'deleteTags') && (
                          <button
                            type="button"
                            className="button button-quiet button-icon button-small"
                            aria-label={text('tags.deleteOne', { name: tag.name })}
                            onClick={() => setDoomed(tag)}
                          >
                            <Trash2 size={16} aria-hidden />
                          </button>
                        )}
                      </td>
                    </tr>
                  ))}
                </tbody>
              </table>
            )}
          </div>
        )}
      </Loaded>
      <ConfirmDialog
        title={text('tags.deleteOne', { name: doomed?.name ?? '' })}
        action={text('list.delete')}
        isOpen={doomed !== undefined}
        isPending={remove.isPending}
        error={remove.error}
        onConfirm={() => doomed !== undefined && remove.mutate(doomed.id)}
        onClose={() => setDoomed(undefined)}
      >
        {text('tags.deleteHint')}
      </ConfirmDialog>
    </>
  )
}
