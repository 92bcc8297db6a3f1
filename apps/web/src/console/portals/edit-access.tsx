import { listSpaces } from '@longshore/contract/cloud/spaces'
import { useQuery } from '@tanstack/react-query'
import { Controller, useFormContext } from 'react-hook-form'
import { useText } from '#text/use-text.tsx'
import { SwitchField } from '#ui/kit/switch-field.tsx'
import { Labelled } from '#ui/plain/labelled.tsx'
import { useTeam } from '../frame/team.ts'
import { membersQuery } from '../members/queries.ts'
import { asUser } from '../session/api.ts'
import type { PortalDraft } from './draft.ts'

/** Who may send here, who may see what came, and how long. */
export function EditAccess() {
  const text = useText<'console'>()
  const team = useTeam()
  const { register, control, watch } = useFormContext<PortalDraft>()
  const { data: members = [] } = useQuery(membersQuery(team.id))
  const { data: spaces } = useQuery({
    queryKey: ['spaces', team.id, 1],
    queryFn: ({ signal }) =>
      asUser(listSpaces, { params: { team_id: team.id }, query: { page: 0, limit: 50 } }, signal),
  })
  const turned = (name: 'has_access_code' | 'has_download_password' | 'expiry_enabled') => (
    <Controller
      control={control}
      name={name}
      render={({ field: { value, onChange } }) => (
        <SwitchField
          label={text(`access.${name}`)}
          hint={text(`access.${name}.hint`)}
          isSelected={value}
          onChange={onChange}
        />
      )}
    />
  )
  return (
    <div className="flex flex-col gap-5">
      {turned('has_access_code')}
      {watch('has_access_code') && (
        <Labelled label={text('access.code')}>
          {(field) => (
            <input
              {...field}
              className="input"
              required
              maxLength={72}
              autoComplete="off"
              {...register('access_code')}
            />
          )}
        </Labelled>
      )}
      {turned('has_download_password')}
      {watch('has_download_password') && (
        <Labelled label={text('access.password')}>
          {(field) => (
            <input
              {...field}
              className="input"
              required
              maxLength={72}
              autoComplete="off"
              {...register('download_password')}
            />
          )}
        </Labelled>
      )}
      <fieldset className="flex flex-col gap-2.5">
        <legend className="field-label mb-2">{text('access.level')}</legend>
        {(['regular', 'private'] as const).map((level) => (
          <label key={level} className="check">
            <input type="radio" value={level} {...register('access_level')} />
            <span>
              <span className="font-medium">{text(`access.${level}`)}</span>
              <span className="block text-sm text-ink-soft">{text(`access.${level}.hint`)}</span>
            </span>
          </label>
        ))}
      </fieldset>
      {watch('access_level') === 'private' && (
        <fieldset>
          <legend className="field-label mb-2">{text('access.list')}</legend>
          <div className="flex max-h-56 flex-col gap-2 overflow-y-auto">
            {members.map(({ id, name, email }) => (
              <label key={id} className="check">
                <input type="checkbox" value={id} {...register('access_list')} />
                <span>
                  {name} <span className="text-sm text-ink-soft">{email}</span>
                </span>
              </label>
            ))}
          </div>
        </fieldset>
      )}
      {spaces !== undefined && spaces.records.length > 0 && (
        <Labelled label={text('access.space')}>
          {(field) => (
            <select {...field} className="input" {...register('teamspace_id')}>
              <option value="">{text('access.noSpace')}</option>
              {spaces.records.map(({ id, name }) => (
                <option key={id} value={id}>
                  {name}
                </option>
              ))}
            </select>
          )}
        </Labelled>
      )}
      <Labelled label={text('access.days')} hint={text('access.daysHint')}>
        {(field) => (
          <input
            {...field}
            type="number"
            min={-1}
            max={65_535}
            className="input max-w-40"
            required
            {...register('custom_expiry_days')}
          />
        )}
      </Labelled>
      {turned('expiry_enabled')}
      {watch('expiry_enabled') && (
        <Labelled label={text('access.closes')}>
          {(field) => <input {...field} type="datetime-local" className="input" required {...register('expiry')} />}
        </Labelled>
      )}
    </div>
  )
}
