import { createSpace, deleteSpace, listSpaces, readSpace, updateSpace } from '@longshore/contract/cloud/spaces'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Layers, Plus } from 'lucide-react'
import { useState } from 'react'
import { useForm } from 'react-hook-form'
import { useText } from '#text/use-text.tsx'
import { ConfirmDialog } from '#ui/kit/confirm-dialog.tsx'
import { DialogBox } from '#ui/kit/dialog-box.tsx'
import { EmptyState } from '#ui/plain/empty-state.tsx'
import { FormActions } from '#ui/plain/form-actions.tsx'
import { Labelled } from '#ui/plain/labelled.tsx'
import { Pager } from '#ui/plain/pager.tsx'
import { Loaded } from '../frame/loaded.tsx'
import { PageHead } from '../frame/page-head.tsx'
import { useTeam } from '../frame/team.ts'
import { membersQuery } from '../members/queries.ts'
import { asUser } from '../session/api.ts'

interface Space {
  readonly id: string
  readonly name: string
}

const pageSize = 50

export function SpacesPage() {
  const text = useText<'console'>()
  const team = useTeam()
  const client = useQueryClient()
  const [page, setPage] = useState(1)
  const [edited, setEdited] = useState<Space | 'new'>()
  const [doomed, setDoomed] = useState<Space>()
  const spaces = useQuery({
    queryKey: ['spaces', team.id, page],
    // This list alone begins at 0.
    queryFn: ({ signal }) =>
      asUser(listSpaces, { params: { team_id: team.id }, query: { page: page - 1, limit: pageSize } }, signal),
  })
  const remove = useMutation({
    mutationFn: (id: string) => asUser(deleteSpace, { params: { space_id: id } }),
    onSuccess: async () => {
      setDoomed(undefined)
      await client.invalidateQueries({ queryKey: ['spaces'] })
    },
  })
  return (
    <>
      <PageHead title={text('spaces.title')} about={text('spaces.about')}>
        <button type="button" className="button button-primary" onClick={() => setEdited('new')}>
          <Plus size={17} aria-hidden />
          {text('spaces.new')}
        </button>
      </PageHead>
      <Loaded query={spaces}>
        {({ records, metadata }) => (
          <div className="card">
            {records.length === 0 ? (
              <EmptyState icon={Layers} title={text('spaces.none')}>
                <p>{text('spaces.noneHint')}</p>
              </EmptyState>
            ) : (
              <>
                <ul className="divide-y divide-line">
                  {records.map((space) => (
                    <li key={space.id} className="flex flex-wrap items-center gap-3 px-5 py-3">
                      <span className="flex-1 font-semibold wrap-anywhere">{space.name}</span>
                      <button type="button" className="button button-small" onClick={() => setEdited(space)}>
                        {text('spaces.edit')}
                      </button>
                      <button
                        type="button"
                        className="button button-quiet button-small"
                        onClick={() => setDoomed(space)}
                      >
                        {text('list.delete')}
                      </button>
                    </li>
                  ))}
                </ul>
                {metadata.total > pageSize && (
                  <Pager page={page} pageSize={pageSize} total={metadata.total} onPage={setPage} />
                )}
              </>
            )}
          </div>
        )}
      </Loaded>
      {edited !== undefined && (
        <SpaceDialog space={edited === 'new' ? undefined : edited} onClose={() => setEdited(undefined)} />
      )}
      <ConfirmDialog
        title={text('spaces.deleteTitle', { name: doomed?.name ?? '' })}
        action={text('list.delete')}
        isOpen={doomed !== undefined}
        isPending={remove.isPending}
        error={remove.error}
        onConfirm={() => doomed !== undefined && remove.mutate(doomed.id)}
        onClose={() => setDoomed(undefined)}
      >
        {text('spaces.deleteHint')}
      </ConfirmDialog>
    </>
  )
}

interface SpaceDialogProps {
  /** The one that is changed; a new one where left out. */
  readonly space: Space | undefined
  readonly onClose: () => void
}

/** Waits for who is in already: a list that was sent without them would put them out. */
function SpaceDialog({ space, onClose }: SpaceDialogProps) {
  const text = useText<'console'>()
  const known = useQuery({
    queryKey: ['spaces', 'one', space?.id],
    queryFn: ({ signal }) => asUser(readSpace, { params: { space_id: space?.id ?? '' } }, signal),
    enabled: space !== undefined,
    staleTime: 0,
  })
  const members = known.data?.members.map(({ id }) => id) ?? []
  return (
    <DialogBox title={text(space === undefined ? 'spaces.new' : 'spaces.edit')} isOpen onClose={onClose}>
      {space === undefined ? (
        <SpaceForm space={undefined} members={[]} onClose={onClose} />
      ) : (
        <Loaded query={known}>{() => <SpaceForm space={space} members={members} onClose={onClose} />}</Loaded>
      )}
    </DialogBox>
  )
}

interface Answers {
  readonly name: string
  readonly members: string[]
}

function SpaceForm({ space, members, onClose }: SpaceDialogProps & { readonly members: string[] }) {
  const text = useText<'console'>()
  const team = useTeam()
  const client = useQueryClient()
  const everyone = useQuery(membersQuery(team.id))
  const { register, handleSubmit } = useForm<Answers>({ defaultValues: { name: space?.name ?? '', members } })
  const save = useMutation({
    mutationFn: (answers: Answers) => {
      const body = { name: answers.name, membership_ids: answers.members }
      return space === undefined
        ? asUser(createSpace, { params: { team_id: team.id }, body })
        : asUser(updateSpace, { params: { space_id: space.id }, body })
    },
    onSuccess: async () => {
      onClose()
      await Promise.all([
        client.invalidateQueries({ queryKey: ['spaces'] }),
        client.invalidateQueries({ queryKey: ['members'] }),
      ])
    },
  })
  return (
    <form className="flex flex-col gap-4" onSubmit={(event) => void handleSubmit((a) => save.mutate(a))(event)}>
      <Labelled label={text('spaces.name')}>
        {(field) => <input {...field} className="input" required maxLength={100} {...register('name')} autoFocus />}
      </Labelled>
      <fieldset>
        <legend className="field-label mb-2">{text('spaces.members')}</legend>
        <Loaded query={everyone}>
          {(listed) => (
            <div className="flex max-h-64 flex-col gap-2 overflow-y-auto">
              {listed.map(({ id, name, email }) => (
                <label key={id} className="check">
                  <input type="checkbox" value={id} {...register('members')} />
                  <span>
                    {name} <span className="text-sm text-ink-soft">{email}</span>
                  </span>
                </label>
              ))}
            </div>
          )}
        </Loaded>
      </fieldset>
      <FormActions error={save.error} isPending={save.isPending} onCancel={onClose} />
    </form>
  )
}
