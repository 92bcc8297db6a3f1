import { signIn } from '@longshore/contract/cloud/account'
import { useMutation } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useForm } from 'react-hook-form'
import { useText } from '#text/use-text.tsx'
import { Refusal } from '#ui/plain/refusal.tsx'
import { EmailField, PasswordField } from '../frame/person-fields.tsx'
import { server } from '../session/api.ts'
import { queries } from '../session/queries.ts'
import { keepToken } from '../session/token.ts'
import { GateFrame } from './gate-frame.tsx'

interface Answers {
  readonly email: string
  readonly password: string
  readonly stay: boolean
}

export function SignInPage() {
  const text = useText<'console'>()
  const navigate = useNavigate()
  const { back } = useSearch({ from: '/console/sign-in' })
  const { register, handleSubmit } = useForm<Answers>()
  const enter = useMutation({
    mutationFn: ({ email, password }: Answers) => server.call(signIn, { body: { email, password } }),
    onSuccess: async ({ token }, { stay }) => {
      queries.clear()
      keepToken(token, stay)
      await navigate({ to: back ?? '/console' })
    },
  })
  return (
    <GateFrame title={text('signIn.title')}>
      <form className="flex flex-col gap-4" onSubmit={(event) => void handleSubmit((a) => enter.mutate(a))(event)}>
        {/* The page has one purpose, and this is where it begins. */}
        <EmailField field={register('email')} autoComplete="username" autoFocus />
        <PasswordField field={register('password')} />
        <label className="check">
          <input type="checkbox" {...register('stay')} />
          <span>
            {text('signIn.stay')} <span className="block text-sm text-ink-soft">{text('signIn.stayHint')}</span>
          </span>
        </label>
        <Refusal error={enter.error} />
        <button type="submit" className="button button-primary button-large" disabled={enter.isPending}>
          {text('signIn.title')}
        </button>
      </form>
    </GateFrame>
  )
}
