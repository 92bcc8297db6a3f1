import { createApiKey } from '@longshore/contract/cloud/api-keys'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useForm } from 'react-hook-form'
import { useText } from '#text/use-text.tsx'
import { DialogBox } from '#ui/kit/dialog-box.tsx'
import { FormActions } from '#ui/plain/form-actions.tsx'
import { Labelled } from '#ui/plain/labelled.tsx'
import { useTeam } from '../frame/team.ts'
import { useTimeZone } from '../frame/time-zone.ts'
import { ShownOnce } from '../frame/shown-once.tsx'
import { timeOfInput } from '../frame/input-time.ts'
import { withoutUndefined } from '../session/without-undefined.ts'
import { asUser } from '../session/api.ts'

interface Answers {
  readonly name: string
  readonly description: string
  readonly expiry: string
}

export function NewKeyDialog({ onClose }: { readonly onClose: () => void }) {
  const text = useText<'console'>()
  const team = useTeam()
  const client = useQueryClient()
  const timeZone = useTimeZone()
  const { register, handleSubmit } = useForm<Answers>()
  const create = useMutation({
    mutationFn: ({ name, description, expiry }: Answers) =>
      asUser(createApiKey, {
        params: { team_id: team.id },
        body: { name, description, state: 'active', ...withoutUndefined({ expiry: timeOfInput(expiry, timeZone) }) },
      }),
    onSuccess: () => client.invalidateQueries({ queryKey: ['keys'] }),
  })
  if (create.data !== undefined) {
    return <ShownOnce title={text('keys.made')} label={text('keys.key')} value={create.data.key} onClose={onClose} />
  }
  return (
    <DialogBox title={text('keys.new')} isOpen onClose={onClose}>
      <form className="flex flex-col gap-4" onSubmit={(event) => void handleSubmit((a) => create.mutate(a))(event)}>
        <Labelled label={text('keys.name')} hint={text('keys.nameHint')}>
          {(field) => <input {...field} className="input" required maxLength={200} {...register('name')} autoFocus />}
        </Labelled>
        <Labelled label={text('package.description')}>
          {(field) => <textarea {...field} className="input" maxLength={2_000} {...register('description')} />}
        </Labelled>
        <Labelled label={text('package.expiry')} hint={text('keys.expiryHint')}>
          {(field) => <input {...field} type="datetime-local" className="input" {...register('expiry')} />}
        </Labelled>
        <FormActions
          error={create.error}
          isPending={create.isPending}
          onCancel={onClose}
          submit={text('keys.create')}
        />
      </form>
    </DialogBox>
  )
}
