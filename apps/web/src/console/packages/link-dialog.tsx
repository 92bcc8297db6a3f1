import { createLink, updateLink } from '@longshore/contract/cloud/links'
import { zeroTime } from '@longshore/contract/limits'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useForm } from 'react-hook-form'
import { useText } from '#text/use-text.tsx'
import { DialogBox } from '#ui/kit/dialog-box.tsx'
import { CopyField } from '#ui/plain/copy-field.tsx'
import { FormActions } from '#ui/plain/form-actions.tsx'
import { Labelled } from '#ui/plain/labelled.tsx'
import { Notice } from '#ui/plain/notice.tsx'
import { withPackageToken } from '../session/api.ts'
import { inputTime, timeOfInput } from '../frame/input-time.ts'
import { useTimeZone } from '../frame/time-zone.ts'
import type { Link, Package } from './queries.ts'
import { withoutUndefined } from '../session/without-undefined.ts'

interface Answers {
  readonly email: string
  readonly password: string
  readonly withoutPassword: boolean
  readonly access_limit: string
  readonly expiry: string
}

interface LinkDialogProps {
  readonly pkg: Package
  /** Nothing while the dialog is closed. */
  readonly link: Link | 'new' | undefined
  readonly onClose: () => void
}

/** Makes a link, or changes one. The address of a new one is shown once. */
export function LinkDialog({ pkg, link, onClose }: LinkDialogProps) {
  const text = useText<'console'>()
  const client = useQueryClient()
  const timeZone = useTimeZone()
  const [address, setAddress] = useState<string>()
  const known = link === 'new' ? undefined : link
  const hasPassword = known !== undefined && known.password !== ''
  // Shown is when the link ends, if only with its package. To leave it as it is must not fix that time.
  const shownExpiry = known === undefined ? '' : inputTime(known.expiry, timeZone)
  const { register, handleSubmit, watch } = useForm<Answers>({
    defaultValues: {
      email: '',
      password: '',
      withoutPassword: false,
      access_limit: String(known?.access_limit ?? pkg.access_limit),
      expiry: shownExpiry,
    },
  })
  const save = useMutation({
    mutationFn: async ({ email, password, withoutPassword, access_limit: limit, expiry }: Answers) => {
      const token = pkg.access_token ?? ''
      const body = withoutUndefined({
        email: email === '' ? undefined : email,
        // Given as nothing it is taken away, not given it stays.
        password: withoutPassword ? '' : password === '' ? undefined : password,
        access_limit: Number(limit),
        expiry: expiry === shownExpiry ? undefined : (timeOfInput(expiry, timeZone) ?? zeroTime),
      })
      if (known === undefined) {
        return (await withPackageToken(token, createLink, { params: { package_id: pkg.id }, body })).url
      }
      await withPackageToken(token, updateLink, { params: { package_id: pkg.id, link_id: known.id }, body })
      return undefined
    },
    onSuccess: async (url) => {
      await client.invalidateQueries({ queryKey: ['packages', pkg.team_id, 'links', pkg.id] })
      if (url === undefined) onClose()
      else setAddress(url)
    },
  })
  return (
    <DialogBox
      title={text(address !== undefined ? 'links.made' : known === undefined ? 'links.new' : 'links.edit')}
      isOpen={link !== undefined}
      onClose={onClose}
    >
      {address === undefined ? (
        <form className="flex flex-col gap-4" onSubmit={(event) => void handleSubmit((a) => save.mutate(a))(event)}>
          {known === undefined && (
            <Labelled label={text('links.email')} hint={text('links.emailHint')}>
              {(field) => (
                <input {...field} type="email" className="input" maxLength={254} {...register('email')} autoFocus />
              )}
            </Labelled>
          )}
          <Labelled
            label={text('links.password')}
            hint={text(
              hasPassword ? 'links.passwordStays' : known === undefined ? 'links.passwordHint' : 'links.passwordNone',
            )}
          >
            {(field) => (
              <input
                {...field}
                className="input"
                maxLength={72}
                autoComplete="off"
                disabled={watch('withoutPassword')}
                {...register('password')}
              />
            )}
          </Labelled>
          {hasPassword && (
            <label className="check">
              <input type="checkbox" {...register('withoutPassword')} />
              {text('links.removePassword')}
            </label>
          )}
          <div className="grid gap-4 sm:grid-cols-[9rem_1fr]">
            <Labelled label={text('links.limit')} hint={text('links.limitHint')}>
              {(field) => (
                <input
                  {...field}
                  type="number"
                  min={0}
                  max={2_147_483_647}
                  className="input"
                  required
                  {...register('access_limit')}
                />
              )}
            </Labelled>
            <Labelled label={text('package.expiry')} hint={text('links.expiryHint')}>
              {(field) => <input {...field} type="datetime-local" className="input" {...register('expiry')} />}
            </Labelled>
          </div>
          <FormActions
            error={save.error}
            isPending={save.isPending}
            onCancel={onClose}
            submit={text(known === undefined ? 'links.create' : 'ui.save')}
          />
        </form>
      ) : (
        <>
          <CopyField label={text('links.address')} value={address} />
          <Notice kind="warn">{text('links.shownOnce')}</Notice>
          <div className="dialog-actions">
            <button type="button" className="button button-primary" onClick={onClose}>
              {text('ui.close')}
            </button>
          </div>
        </>
      )}
    </DialogBox>
  )
}
