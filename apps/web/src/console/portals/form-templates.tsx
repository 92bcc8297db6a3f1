import { createFormTemplate, deleteFormTemplate, listFormTemplates } from '@longshore/contract/cloud/forms'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useFormContext } from 'react-hook-form'
import { useText } from '#text/use-text.tsx'
import { Labelled } from '#ui/plain/labelled.tsx'
import { Refusal } from '#ui/plain/refusal.tsx'
import { toast } from '#ui/plain/toasts.tsx'
import { useTeam } from '../frame/team.ts'
import { asUser } from '../session/api.ts'
import { fieldsOfDraft, formBodyOf, type PortalDraft } from './draft.ts'

/** Forms that were made before, to begin with; and this one, for the next time. */
export function FormTemplates() {
  const text = useText<'console'>()
  const team = useTeam()
  const client = useQueryClient()
  const { getValues, setValue } = useFormContext<PortalDraft>()
  const [chosen, setChosen] = useState('')
  const { data: templates = [] } = useQuery({
    queryKey: ['templates', team.id],
    queryFn: ({ signal }) => asUser(listFormTemplates, { params: { team_id: team.id } }, signal),
  })
  const renew = () => client.invalidateQueries({ queryKey: ['templates'] })
  const keep = useMutation({
    mutationFn: () => asUser(createFormTemplate, { params: { team_id: team.id }, body: formBodyOf(getValues()) }),
    onSuccess: async ({ name }) => {
      toast(text('templates.kept', { name }))
      await renew()
    },
  })
  const remove = useMutation({
    mutationFn: (id: string) => asUser(deleteFormTemplate, { params: { form_template_id: id } }),
    onSuccess: async () => {
      setChosen('')
      await renew()
    },
  })
  const template = templates.find(({ id }) => id === chosen)
  const apply = () => {
    if (template === undefined) return
    setValue('fields', fieldsOfDraft(template.fields))
    setValue('delivery_formats', template.delivery_formats)
    setValue('formName', template.name)
  }
  return (
    <div className="flex flex-col gap-2 rounded-lg bg-sunken p-4">
      <div className="flex flex-wrap items-end gap-2">
        {templates.length > 0 && (
          <>
            <div className="min-w-48 flex-1">
              <Labelled label={text('templates.title')}>
                {(field) => (
                  <select
                    {...field}
                    className="input"
                    value={chosen}
                    onChange={(event) => setChosen(event.target.value)}
                  >
                    <option value="">{text('templates.choose')}</option>
                    {templates.map(({ id, name }) => (
                      <option key={id} value={id}>
                        {name}
                      </option>
                    ))}
                  </select>
                )}
              </Labelled>
            </div>
            <button type="button" className="button" disabled={template === undefined} onClick={apply}>
              {text('templates.apply')}
            </button>
            <button
              type="button"
              className="button button-quiet"
              disabled={template === undefined || remove.isPending}
              onClick={() => template !== undefined && remove.mutate(template.id)}
            >
              {text('templates.delete')}
            </button>
          </>
        )}
        <button type="button" className="button" disabled={keep.isPending} onClick={() => keep.mutate()}>
          {text('templates.keep')}
        </button>
      </div>
      <Refusal error={keep.error ?? remove.error} />
    </div>
  )
}
