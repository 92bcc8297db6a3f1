import { setUp } from '@longshore/contract/cloud/account'
import { useMutation } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useForm } from 'react-hook-form'
import { useText } from '#text/use-text.tsx'
import { Labelled } from '#ui/plain/labelled.tsx'
import { Refusal } from '#ui/plain/refusal.tsx'
import { EmailField, PasswordField } from '../frame/person-fields.tsx'
import { server } from '../session/api.ts'
import { keepToken } from '../session/token.ts'
import { fragmentToken } from './fragment-token.ts'
import { GateFrame } from './gate-frame.tsx'

interface Answers {
  readonly team_name: string
  readonly name: string
  readonly email: string
  readonly password: string
}

/** The first Team and its Owner, by the link that a new server prints. */
export function SetupPage() {
  const text = useText<'console'>()
  const navigate = useNavigate()
  const { register, handleSubmit } = useForm<Answers>()
  const create = useMutation({
    mutationFn: (answers: Answers) => server.call(setUp, { body: { token: fragmentToken(), ...answers } }),
    onSuccess: async ({ token }) => {
      keepToken(token, false)
      await navigate({ to: '/console' })
    },
  })
  return (
    <GateFrame title={text('setup.title')}>
      <p className="text-ink-soft">{text('setup.intro')}</p>
      <form className="flex flex-col gap-4" onSubmit={(event) => void handleSubmit((a) => create.mutate(a))(event)}>
        <Labelled label={text('setup.team')}>
          {(field) => (
            <input
              {...field}
              {...register('team_name')}
              className="input"
              required
              maxLength={100}
              autoComplete="organization"
              // The page has one purpose, and this is where it begins.
              autoFocus
            />
          )}
        </Labelled>
        <Labelled label={text('account.name')}>
          {(field) => (
            <input {...field} {...register('name')} className="input" required maxLength={200} autoComplete="name" />
          )}
        </Labelled>
        <EmailField field={register('email')} />
        <PasswordField isNew field={register('password')} />
        <Refusal error={create.error} />
        <button type="submit" className="button button-primary button-large" disabled={create.isPending}>
          {text('setup.create')}
        </button>
      </form>
    </GateFrame>
  )
}
