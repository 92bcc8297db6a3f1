import { readTeamSettings, updateTeamSettings } from '@longshore/contract/cloud/team'
import type { ReplyOf } from '@longshore/contract/endpoint'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Controller, useForm } from 'react-hook-form'
import { useText } from '#text/use-text.tsx'
import { SwitchField } from '#ui/kit/switch-field.tsx'
import { Labelled } from '#ui/plain/labelled.tsx'
import { Notice } from '#ui/plain/notice.tsx'
import { Refusal } from '#ui/plain/refusal.tsx'
import { toast } from '#ui/plain/toasts.tsx'
import { Loaded } from '../frame/loaded.tsx'
import { PageHead } from '../frame/page-head.tsx'
import { useTeam } from '../frame/team.ts'
import { asUser } from '../session/api.ts'
import { may } from '../session/roles.ts'

type Settings = ReplyOf<typeof readTeamSettings>

export function SettingsPage() {
  const text = useText<'console'>()
  const team = useTeam()
  const settings = useQuery({
    queryKey: ['settings', team.id],
    queryFn: ({ signal }) => asUser(readTeamSettings, { params: { team_id: team.id } }, signal),
  })
  return (
    <>
      <PageHead title={text('settings.title')} about={text('settings.about', { team: team.name })} />
      <Loaded query={settings}>{(read) => <SettingsForm settings={read} />}</Loaded>
    </>
  )
}

function SettingsForm({ settings }: { readonly settings: Settings }) {
  const text = useText<'console'>()
  const team = useTeam()
  const client = useQueryClient()
  const canChange = may(team.policy_key, 'manageSettings')
  const { register, control, handleSubmit } = useForm<Settings>({ values: settings })
  const save = useMutation({
    mutationFn: (body: Settings) => asUser(updateTeamSettings, { params: { team_id: team.id }, body }),
    onSuccess: async () => {
      toast(text('settings.saved'))
      await client.invalidateQueries({ queryKey: ['settings'] })
    },
  })
  const turned = (name: 'custom_expiry_enabled' | 'download_limit_enabled' | 'unlimited_storage_allowed') => (
    <Controller
      control={control}
      name={name}
      render={({ field: { value, onChange } }) => (
        <SwitchField
          label={text(`settings.${name}`)}
          hint={text(`settings.${name}.hint`)}
          isSelected={value}
          onChange={onChange}
          isDisabled={!canChange}
        />
      )}
    />
  )
  const amount = (
    name: 'custom_expiry_default' | 'download_limit_default' | 'max_email_recipients',
    min: number,
    max: number,
  ) => (
    <Labelled label={text(`settings.${name}`)} hint={text(`settings.${name}.hint`)}>
      {(field) => (
        <input
          {...field}
          type="number"
          className="input max-w-40"
          required
          min={min}
          max={max}
          disabled={!canChange}
          {...register(name, { valueAsNumber: true })}
        />
      )}
    </Labelled>
  )
  return (
    <form
      className="card flex max-w-2xl flex-col gap-6 p-6"
      onSubmit={(event) => void handleSubmit((body) => save.mutate(body))(event)}
    >
      {!canChange && <Notice>{text('settings.readOnly')}</Notice>}
      {amount('custom_expiry_default', 1, 65_535)}
      {turned('custom_expiry_enabled')}
      {turned('unlimited_storage_allowed')}
      {amount('download_limit_default', 0, 2_147_483_647)}
      {turned('download_limit_enabled')}
      {amount('max_email_recipients', 1, 1_000)}
      <Refusal error={save.error} />
      {canChange && (
        <button type="submit" className="button button-primary self-start" disabled={save.isPending}>
          {text('ui.save')}
        </button>
      )}
    </form>
  )
}
