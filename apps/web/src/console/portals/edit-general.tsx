import { useQuery } from '@tanstack/react-query'
import { Controller, useFormContext } from 'react-hook-form'
import { useText } from '#text/use-text.tsx'
import { SwitchField } from '#ui/kit/switch-field.tsx'
import { Labelled } from '#ui/plain/labelled.tsx'
import { useTeam } from '../frame/team.ts'
import { tagsQuery } from '../tags/queries.ts'
import { webhooksQuery } from '../webhooks/queries.ts'
import { type PortalDraft, subdomainOf } from './draft.ts'

/** Name, address, message, and who is told. */
export function EditGeneral({ isNew }: { readonly isNew: boolean }) {
  const text = useText<'console'>()
  const team = useTeam()
  const { register, control, setValue, getFieldState } = useFormContext<PortalDraft>()
  const { data: tags = [] } = useQuery(tagsQuery(team.id))
  const { data: webhooks = [] } = useQuery(webhooksQuery(team.id))
  const follow = (name: string) => {
    if (isNew && !getFieldState('subdomain').isTouched) setValue('subdomain', subdomainOf(name))
  }
  return (
    <div className="flex flex-col gap-5">
      <Labelled label={text('portals.name')}>
        {(field) => (
          <input
            {...field}
            className="input"
            required
            maxLength={200}
            {...register('name', { onChange: (event: { target: { value: string } }) => follow(event.target.value) })}
          />
        )}
      </Labelled>
      <Labelled label={text('portals.subdomain')} hint={text('portals.subdomainHint')}>
        {(field) => (
          <input
            {...field}
            className="input font-mono"
            required
            minLength={3}
            maxLength={53}
            pattern="[a-z0-9][a-z0-9\-]{1,51}[a-z0-9]"
            spellCheck={false}
            autoCapitalize="off"
            {...register('subdomain')}
          />
        )}
      </Labelled>
      <Labelled label={text('portals.message')} hint={text('portals.messageHint')}>
        {(field) => <textarea {...field} className="input" maxLength={10_000} {...register('message')} />}
      </Labelled>
      <Controller
        control={control}
        name="active"
        render={({ field: { value, onChange } }) => (
          <SwitchField
            label={text('portals.active')}
            hint={text('portals.activeHint')}
            isSelected={value}
            onChange={onChange}
          />
        )}
      />
      <Labelled label={text('portals.recipients')} hint={text('portals.recipientsHint')}>
        {(field) => <textarea {...field} className="input" spellCheck={false} {...register('recipients')} />}
      </Labelled>
      <Labelled label={text('portals.cc')}>
        {(field) => (
          <textarea {...field} className="input min-h-16" spellCheck={false} {...register('cc_recipients')} />
        )}
      </Labelled>
      <Controller
        control={control}
        name="sendsReceipt"
        render={({ field: { value, onChange } }) => (
          <SwitchField
            label={text('portals.receipt')}
            hint={text('portals.receiptHint')}
            isSelected={value}
            onChange={onChange}
          />
        )}
      />
      <Labelled label={text('package.tag')} hint={text('portals.tagHint')}>
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
      {webhooks.length > 0 && (
        <fieldset>
          <legend className="field-label mb-2">{text('nav.webhooks')}</legend>
          <div className="flex flex-col gap-2">
            {webhooks.map(({ id, name, url }) => (
              <label key={id} className="check">
                <input type="checkbox" value={id} {...register('webhooks')} />
                <span className="wrap-anywhere">{name === '' ? url : name}</span>
              </label>
            ))}
          </div>
        </fieldset>
      )}
    </div>
  )
}
