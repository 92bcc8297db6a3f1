import { updatePackage } from '@longshore/contract/cloud/packages'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useForm } from 'react-hook-form'
import { useText } from '#text/use-text.tsx'
import { DialogBox } from '#ui/kit/dialog-box.tsx'
import { FormActions } from '#ui/plain/form-actions.tsx'
import { Labelled } from '#ui/plain/labelled.tsx'
import { withPackageToken } from '../session/api.ts'
import { tagsQuery } from '../tags/queries.ts'
import type { Package } from './queries.ts'

interface Answers {
  readonly name: string
  readonly description: string
  readonly tag: string
}

/** Name, description and tag. A tag that the Team does not have yet is made. */
export function EditDialog({ pkg, onClose }: { readonly pkg: Package; readonly onClose: () => void }) {
  const text = useText<'console'>()
  const client = useQueryClient()
  const { data: tags = [] } = useQuery(tagsQuery(pkg.team_id))
  const { register, handleSubmit } = useForm<Answers>({
    defaultValues: { name: pkg.name, description: pkg.description, tag: pkg.tag?.name ?? '' },
  })
  const save = useMutation({
    mutationFn: ({ name, description, tag }: Answers) =>
      withPackageToken(pkg.access_token ?? '', updatePackage, {
        params: { package_id: pkg.id },
        body: { name, description, ...(tag.trim() === '' ? {} : { tag: { name: tag.trim() } }) },
      }),
    onSuccess: async () => {
      onClose()
      await Promise.all([
        client.invalidateQueries({ queryKey: ['packages'] }),
        client.invalidateQueries({ queryKey: ['tags'] }),
      ])
    },
  })
  return (
    <DialogBox title={text('package.edit')} isOpen onClose={onClose}>
      <form className="flex flex-col gap-4" onSubmit={(event) => void handleSubmit((a) => save.mutate(a))(event)}>
        <Labelled label={text('package.name')}>
          {(field) => <input {...field} className="input" required maxLength={255} {...register('name')} autoFocus />}
        </Labelled>
        <Labelled label={text('package.description')}>
          {(field) => <textarea {...field} className="input" maxLength={10_000} {...register('description')} />}
        </Labelled>
        <Labelled label={text('package.tag')} hint={text('package.tagHint')}>
          {(field) => (
            <>
              <input {...field} className="input" list="tags-of-team" maxLength={100} {...register('tag')} />
              <datalist id="tags-of-team">
                {tags.map(({ id, name }) => (
                  <option key={id} value={name} />
                ))}
              </datalist>
            </>
          )}
        </Labelled>
        <FormActions error={save.error} isPending={save.isPending} onCancel={onClose} />
      </form>
    </DialogBox>
  )
}
