import { readTeamSettings } from '@longshore/contract/cloud/team'
import { useQuery } from '@tanstack/react-query'
import { Send } from 'lucide-react'
import type { UseFormRegister } from 'react-hook-form'
import { useText } from '#text/use-text.tsx'
import { Labelled } from '#ui/plain/labelled.tsx'
import { Refusal } from '#ui/plain/refusal.tsx'
import { useTeam } from '../frame/team.ts'
import { asUser } from '../session/api.ts'
import type { Terms } from './terms.ts'

interface TermsFieldsProps {
  readonly register: UseFormRegister<Terms>
  readonly error: unknown
  readonly isDisabled: boolean
}

/** To whom, on which terms, and the button that sends. */
export function TermsFields({ register, error, isDisabled }: TermsFieldsProps) {
  const text = useText<'console'>()
  const team = useTeam()
  const { data: settings } = useQuery({
    queryKey: ['settings', team.id],
    queryFn: ({ signal }) => asUser(readTeamSettings, { params: { team_id: team.id } }, signal),
  })
  return (
    <section className="card flex flex-col gap-4 p-5" aria-label={text('nav.send')}>
      <Labelled label={text('package.name')}>
        {(field) => <input {...field} className="input" required maxLength={255} {...register('name')} />}
      </Labelled>
      <Labelled label={text('send.recipients')} hint={text('send.recipientsHint')}>
        {(field) => <textarea {...field} className="input" spellCheck={false} {...register('recipients')} />}
      </Labelled>
      <Labelled label={text('package.description')}>
        {(field) => <textarea {...field} className="input" maxLength={10_000} {...register('description')} />}
      </Labelled>
      <Labelled label={text('send.password')} hint={text('send.passwordHint')}>
        {(field) => <input {...field} className="input" maxLength={72} autoComplete="off" {...register('password')} />}
      </Labelled>
      <Labelled label={text('send.limit')} hint={text('send.limitHint')}>
        {(field) => (
          <input
            {...field}
            type="number"
            min={0}
            max={2_147_483_647}
            className="input max-w-40"
            placeholder={settings?.download_limit_enabled === true ? String(settings.download_limit_default) : '0'}
            {...register('access_limit')}
          />
        )}
      </Labelled>
      {settings?.unlimited_storage_allowed === true && (
        <label className="check">
          <input type="checkbox" {...register('forever')} />
          {text('send.forever')}
        </label>
      )}
      <Refusal error={error} />
      <button type="submit" className="button button-primary button-large" disabled={isDisabled}>
        <Send size={18} aria-hidden />
        {text('send.go')}
      </button>
    </section>
  )
}
