import { ApiError } from '@longshore/client/client'
import { acceptInvitation } from '@longshore/contract/cloud/team'
import { useMutation } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useForm } from 'react-hook-form'
import { useText } from '#text/use-text.tsx'
import { Labelled } from '#ui/plain/labelled.tsx'
import { Notice } from '#ui/plain/notice.tsx'
import { Refusal } from '#ui/plain/refusal.tsx'
import { newPasswordLength, PasswordField } from '../frame/person-fields.tsx'
import { server } from '../session/api.ts'
import { keepToken } from '../session/token.ts'
import { fragmentToken } from './fragment-token.ts'
import { GateFrame } from './gate-frame.tsx'

interface Answers {
  readonly name: string
  readonly password: string
}

/** Joining a Team by the link of an invitation mail, with a new account or the one that the address has. */
export function InvitationPage() {
  const text = useText<'console'>()
  const navigate = useNavigate()
  const { register, handleSubmit } = useForm<Answers>()
  const join = useMutation({
    mutationFn: ({ name, password }: Answers) =>
      server.call(acceptInvitation, {
        params: { token: fragmentToken() },
        body: name.trim() === '' ? { password } : { name: name.trim(), password },
      }),
    onSuccess: async ({ token }) => {
      keepToken(token, false)
      await navigate({ to: '/console' })
    },
  })
  const hasAccount = join.error instanceof ApiError && join.error.error === 'login_failed'
  return (
    <GateFrame title={text('invitation.title')}>
      <p className="text-ink-soft">{text('invitation.intro')}</p>
      <form className="flex flex-col gap-4" onSubmit={(event) => void handleSubmit((a) => join.mutate(a))(event)}>
        <Labelled label={text('account.name')} hint={text('invitation.nameHint')}>
          {(field) => (
            <input {...field} {...register('name')} className="input" maxLength={200} autoComplete="name" autoFocus />
          )}
        </Labelled>
        <PasswordField
          field={register('password')}
          hint={text('invitation.passwordHint', { count: newPasswordLength })}
        />
        {hasAccount ? (
          <Notice kind="danger">{text('invitation.wrongPassword')}</Notice>
        ) : (
          <Refusal error={join.error} />
        )}
        <button type="submit" className="button button-primary button-large" disabled={join.isPending}>
          {text('invitation.join')}
        </button>
      </form>
    </GateFrame>
  )
}
