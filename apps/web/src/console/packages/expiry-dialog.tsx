import { setPackageExpiry } from '@longshore/contract/cloud/packages'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useForm } from 'react-hook-form'
import { useText } from '#text/use-text.tsx'
import { DialogBox } from '#ui/kit/dialog-box.tsx'
import { FormActions } from '#ui/plain/form-actions.tsx'
import { Labelled } from '#ui/plain/labelled.tsx'
import { withPackageToken } from '../session/api.ts'
import { inputTime, timeOfInput } from '../frame/input-time.ts'
import { useTimeZone } from '../frame/time-zone.ts'
import type { Package } from './queries.ts'
import { withoutUndefined } from '../session/without-undefined.ts'

interface Answers {
  readonly expiry: string
  readonly forever: boolean
}

export function ExpiryDialog({ pkg, onClose }: { readonly pkg: Package; readonly onClose: () => void }) {
  const text = useText<'console'>()
  const client = useQueryClient()
  const timeZone = useTimeZone()
  const { register, handleSubmit, watch } = useForm<Answers>({
    defaultValues: { expiry: inputTime(pkg.expiry, timeZone), forever: pkg.unlimited_storage },
  })
  const save = useMutation({
    mutationFn: ({ expiry, forever }: Answers) =>
      withPackageToken(pkg.access_token ?? '', setPackageExpiry, {
        params: { package_id: pkg.id },
        body: forever ? { unlimited_storage: true } : withoutUndefined({ expiry: timeOfInput(expiry, timeZone) }),
      }),
    onSuccess: async () => {
      onClose()
      await client.invalidateQueries({ queryKey: ['packages'] })
    },
  })
  return (
    <DialogBox title={text('package.changeExpiry')} isOpen onClose={onClose}>
      <form className="flex flex-col gap-4" onSubmit={(event) => void handleSubmit((a) => save.mutate(a))(event)}>
        <Labelled label={text('package.expiry')} hint={text('package.expiryHint')}>
          {(field) => (
            <input
              {...field}
              type="datetime-local"
              className="input"
              required={!watch('forever')}
              disabled={watch('forever')}
              {...register('expiry')}
            />
          )}
        </Labelled>
        <label className="check">
          <input type="checkbox" {...register('forever')} />
          {text('package.neverExpires')}
        </label>
        <FormActions error={save.error} isPending={save.isPending} onCancel={onClose} />
      </form>
    </DialogBox>
  )
}
