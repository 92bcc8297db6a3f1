import { changeEmail, changePassword, updateUser } from '@longshore/contract/cloud/account'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { useForm } from 'react-hook-form'
import { type Language, languageNames, languages } from '#text/languages.ts'
import { useLanguage, useText } from '#text/use-text.tsx'
import { Labelled } from '#ui/plain/labelled.tsx'
import { Notice } from '#ui/plain/notice.tsx'
import { Refusal } from '#ui/plain/refusal.tsx'
import { chooseTheme, type Theme, themes, useTheme } from '#ui/plain/theme.ts'
import { toast } from '#ui/plain/toasts.tsx'
import { Loaded } from '../frame/loaded.tsx'
import { PageHead } from '../frame/page-head.tsx'
import { EmailField, PasswordField } from '../frame/person-fields.tsx'
import type { Me } from '../frame/team.ts'
import { asUser } from '../session/api.ts'
import { meQuery } from '../session/queries.ts'

export function AccountPage() {
  const text = useText<'console'>()
  const me = useQuery(meQuery)
  return (
    <>
      <PageHead title={text('account.title')} about={text('account.about')} />
      <Loaded query={me}>
        {(read) => (
          <div className="flex max-w-2xl flex-col gap-6">
            <Profile me={read} />
            <Appearance />
            <EmailChange me={read} />
            <PasswordChange me={read} />
          </div>
        )}
      </Loaded>
    </>
  )
}

function Section({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <section className="card flex flex-col gap-4 p-6">
      <h2>{title}</h2>
      {children}
    </section>
  )
}

const zones = Intl.supportedValuesOf('timeZone')

function Profile({ me: { user, teams } }: { readonly me: Me }) {
  const text = useText<'console'>()
  const client = useQueryClient()
  const { register, handleSubmit } = useForm({
    values: { name: user.name, time_zone: user.time_zone, preferred_team_id: user.preferred_team_id },
  })
  const save = useMutation({
    mutationFn: ({ preferred_team_id, ...rest }: { name: string; time_zone: string; preferred_team_id: string }) =>
      asUser(updateUser, {
        params: { user_id: user.id },
        body: preferred_team_id === '' ? rest : { ...rest, preferred_team_id },
      }),
    onSuccess: async () => {
      toast(text('account.saved'))
      await client.invalidateQueries({ queryKey: ['me'] })
    },
  })
  return (
    <Section title={text('account.profile')}>
      <form className="flex flex-col gap-4" onSubmit={(event) => void handleSubmit((a) => save.mutate(a))(event)}>
        <Labelled label={text('account.name')}>
          {(field) => (
            <input {...field} className="input" required maxLength={200} autoComplete="name" {...register('name')} />
          )}
        </Labelled>
        <Labelled label={text('account.timeZone')} hint={text('account.timeZoneHint')}>
          {(field) => (
            <select {...field} className="input" {...register('time_zone')}>
              {[...new Set([user.time_zone, 'UTC', ...zones])].map((zone) => (
                <option key={zone}>{zone}</option>
              ))}
            </select>
          )}
        </Labelled>
        {teams.length > 1 && (
          <Labelled label={text('account.preferredTeam')}>
            {(field) => (
              <select {...field} className="input" {...register('preferred_team_id')}>
                {teams.map(({ id, name }) => (
                  <option key={id} value={id}>
                    {name}
                  </option>
                ))}
              </select>
            )}
          </Labelled>
        )}
        <Refusal error={save.error} />
        <button type="submit" className="button button-primary self-start" disabled={save.isPending}>
          {text('ui.save')}
        </button>
      </form>
    </Section>
  )
}

function Appearance() {
  const text = useText<'console'>()
  const theme = useTheme()
  const { language, speak } = useLanguage()
  return (
    <Section title={text('account.appearance')}>
      <div className="grid gap-4 sm:grid-cols-2">
        <Labelled label={text('ui.theme')}>
          {(field) => (
            <select
              {...field}
              className="input"
              value={theme}
              onChange={(event) => chooseTheme(event.target.value as Theme)}
            >
              {themes.map((one) => (
                <option key={one} value={one}>
                  {text(`ui.theme.${one}`)}
                </option>
              ))}
            </select>
          )}
        </Labelled>
        <Labelled label={text('ui.language')}>
          {(field) => (
            <select
              {...field}
              className="input"
              value={language}
              onChange={(event) => speak(event.target.value as Language)}
            >
              {languages.map((one) => (
                <option key={one} value={one}>
                  {languageNames[one]}
                </option>
              ))}
            </select>
          )}
        </Labelled>
      </div>
    </Section>
  )
}

function EmailChange({ me: { user } }: { readonly me: Me }) {
  const text = useText<'console'>()
  const { register, handleSubmit, reset } = useForm<{ email: string; password: string }>()
  const save = useMutation({
    mutationFn: (body: { email: string; password: string }) =>
      asUser(changeEmail, { params: { user_id: user.id }, body }),
    onSuccess: () => reset(),
  })
  return (
    <Section title={text('account.changeEmail')}>
      <p className="text-ink-soft">{text('account.currentEmail', { email: user.email })}</p>
      <form className="flex flex-col gap-4" onSubmit={(event) => void handleSubmit((a) => save.mutate(a))(event)}>
        <EmailField label={text('account.newEmail')} field={register('email')} />
        <PasswordField label={text('account.currentPassword')} field={register('password')} />
        <Refusal error={save.error} />
        {save.isSuccess && <Notice kind="good">{text('account.emailSent')}</Notice>}
        <button type="submit" className="button self-start" disabled={save.isPending}>
          {text('account.changeEmail')}
        </button>
      </form>
    </Section>
  )
}

function PasswordChange({ me: { user } }: { readonly me: Me }) {
  const text = useText<'console'>()
  const { register, handleSubmit, reset } = useForm<{ current_password: string; password: string }>()
  const save = useMutation({
    mutationFn: (body: { current_password: string; password: string }) =>
      asUser(changePassword, { params: { user_id: user.id }, body }),
    onSuccess: () => reset(),
  })
  return (
    <Section title={text('account.changePassword')}>
      <form className="flex flex-col gap-4" onSubmit={(event) => void handleSubmit((a) => save.mutate(a))(event)}>
        {/* Password managers keep the password under this name. */}
        <input type="text" hidden autoComplete="username" value={user.email} readOnly />
        <PasswordField label={text('account.currentPassword')} field={register('current_password')} />
        <PasswordField isNew label={text('account.newPassword')} field={register('password')} />
        <Refusal error={save.error} />
        {save.isSuccess && <Notice kind="good">{text('account.passwordChanged')}</Notice>}
        <button type="submit" className="button self-start" disabled={save.isPending}>
          {text('account.changePassword')}
        </button>
      </form>
    </Section>
  )
}
