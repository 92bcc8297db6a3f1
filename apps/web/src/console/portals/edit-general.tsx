import { useQuery } from '@tanstack/react-query'
import { Controller, useFormContext } from 'react-hook-form'
import { useText } from '#text/use-text.tsx'
import { SwitchField } from '#ui/kit/switch-field.tsx'
import { Labelled } from '#ui/plain/labelled.tsx'
import { useConnections } from '../connections/use-connections.ts'
import { useTeam } from '../frame/team.ts'
import { tagsQuery } from '../tags/queries.ts'
import { webhooksQuery } from '../webhooks/queries.ts'
import { type PortalDraft, subdomainOf } from './draft.ts'

/** Name, address, message, and who is told. */
export function EditGeneral({ isNew }: { readonly isNew: boolean }) {
  const text = useText<'console'>()
  const team = useTeam()
  const { register, control, setValue, getFieldState, getValues } = useFormContext<PortalDraft>()
  const { data: tags = [] } = useQuery(tagsQuery(team.id))
  const { data: webhooks = [] } = useQuery(webhooksQuery(team.id))
  const { all: connections } = useConnections()
  // One that no longer takes packages is shown while it is chosen, so that it can be given up.
  const targets = connections.filter(
    ({ id, direction }) => direction !== 'import' || getValues('connections').includes(id),
  )
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
      <Chosen
        name="webhooks"
        legend={text('nav.webhooks')}
        offered={webhooks.map(({ id, name, url }) => ({ id, name: name === '' ? url : name }))}
      />
      <Chosen name="connections" legend={text('portals.sendOn')} offered={targets} />
    </div>
  )
}

interface ChosenProps {
  readonly name: 'webhooks' | 'connections'
  readonly legend: string
  readonly offered: readonly { readonly id: string; readonly name: string }[]
}

/** Any of several; nothing where there is nothing to choose. */
function Chosen({ name, legend, offered }: ChosenProps) {
  const { register } = useFormContext<PortalDraft>()
  if (offered.length === 0) return null
  return (
    <fieldset>
      <legend className="field-label mb-2">{legend}</legend>
      <div className="flex flex-col gap-2">
        {offered.map((one) => (
          <label key={one.id} className="check">
            <input type="checkbox" value={one.id} {...register(name)} />
            <span className="wrap-anywhere">{one.name}</span>
          </label>
        ))}
      </div>
    </fieldset>
  )
}
