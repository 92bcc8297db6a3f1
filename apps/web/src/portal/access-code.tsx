import { LockKeyhole } from 'lucide-react'
import { type SubmitEvent, useState } from 'react'
import { useText } from '#text/use-text.tsx'
import { Labelled } from '#ui/plain/labelled.tsx'
import { sentenceOf } from '#ui/plain/refusal.tsx'
import { enterPortal, keptCode, type Portal } from './portal.ts'

interface AccessCodeProps {
  readonly portal: Portal
  readonly entered: (portal: Portal, accessCode: string) => void
}

/** Asks for the code of a Portal. */
export function AccessCode({ portal, entered }: AccessCodeProps) {
  const text = useText<'portal'>()
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>()

  const enter = async (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    const code = new FormData(event.currentTarget).get('code') as string
    if (code === '') return
    setBusy(true)
    try {
      const inside = await enterPortal(portal.id, code)
      keptCode.set(portal.id, code)
      entered(inside, code)
    } catch (refused) {
      setError(refused)
      setBusy(false)
    }
  }

  return (
    <form
      className="card mx-auto mt-4 flex w-full max-w-md flex-col gap-5 p-6 sm:mt-10 sm:p-8"
      onSubmit={(event) => void enter(event)}
    >
      <div className="flex flex-col gap-2">
        <LockKeyhole className="text-ink-faint" size={28} strokeWidth={1.5} aria-hidden />
        <h1>{portal.name}</h1>
        <p className="text-ink-soft">{text('portal.code.why')}</p>
      </div>
      <Labelled label={text('portal.code')} error={error === undefined ? undefined : sentenceOf(text, error)}>
        {(described) => (
          <input
            {...described}
            className="input"
            name="code"
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
        {text('portal.code.enter')}
      </button>
    </form>
  )
}
