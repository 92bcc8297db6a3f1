import { confirmEmail } from '@longshore/contract/cloud/account'
import { useMutation } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useText } from '#text/use-text.tsx'
import { Notice } from '#ui/plain/notice.tsx'
import { Refusal } from '#ui/plain/refusal.tsx'
import { server } from '../session/api.ts'
import { fragmentToken } from './fragment-token.ts'
import { GateFrame } from './gate-frame.tsx'

/** Confirms a changed address. By a button, not by opening the page: mail scanners open every address they find. */
export function ConfirmEmailPage() {
  const text = useText<'console'>()
  const confirm = useMutation({
    mutationFn: () => server.call(confirmEmail, { params: { token: fragmentToken() } }),
  })
  return (
    <GateFrame title={text('confirm.title')}>
      {confirm.isSuccess ? (
        <>
          <Notice kind="good">{text('confirm.done')}</Notice>
          <Link to="/console/sign-in" className="button button-primary">
            {text('signIn.title')}
          </Link>
        </>
      ) : (
        <>
          <p className="text-ink-soft">{text('confirm.intro')}</p>
          <Refusal error={confirm.error} />
          <button
            type="button"
            className="button button-primary button-large"
            disabled={confirm.isPending}
            onClick={() => confirm.mutate()}
            autoFocus
          >
            {text('confirm.button')}
          </button>
        </>
      )}
    </GateFrame>
  )
}
