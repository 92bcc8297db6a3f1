import { LockKeyhole } from 'lucide-react'
import { type SubmitEvent, useState } from 'react'
import { useText } from '#text/use-text.tsx'
import { Labelled } from '#ui/plain/labelled.tsx'
import { sentenceOf } from '#ui/plain/refusal.tsx'

interface PasswordProps {
  readonly error: unknown
  readonly open: (password: string) => Promise<void>
}

export function Password({ error, open }: PasswordProps) {
  const text = useText<'download'>()
  const [busy, setBusy] = useState(false)
  const submit = async (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    const password = new FormData(event.currentTarget).get('password') as string
    if (password === '') return
    setBusy(true)
    await open(password)
    setBusy(false)
  }
  return (
    <form
      className="card mx-auto mt-4 flex w-full max-w-md flex-col gap-5 p-6 sm:mt-10 sm:p-8"
      onSubmit={(event) => void submit(event)}
    >
      <div className="flex flex-col gap-2">
        <LockKeyhole className="text-ink-faint" size={28} strokeWidth={1.5} aria-hidden />
        <h1>{text('download.title')}</h1>
        <p className="text-ink-soft">
          {text('error.link_password_required')} {text('download.password.hint')}
        </p>
      </div>
      <Labelled label={text('download.password')} error={error === undefined ? undefined : sentenceOf(text, error)}>
        {(described) => (
          <input
            {...described}
            className="input"
            name="password"
            type="password"
            maxLength={72}
            required
            autoComplete="off"
            // The only thing to do on this page.
            autoFocus
          />
        )}
      </Labelled>
      <button type="submit" className="button button-primary button-large" disabled={busy}>
        {text('download.password.open')}
      </button>
    </form>
  )
}
