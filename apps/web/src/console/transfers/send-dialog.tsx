import { startTransfer } from '@longshore/contract/cloud/connections'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useForm } from 'react-hook-form'
import { useText } from '#text/use-text.tsx'
import { DialogBox } from '#ui/kit/dialog-box.tsx'
import { FormActions } from '#ui/plain/form-actions.tsx'
import { Labelled } from '#ui/plain/labelled.tsx'
import type { Connection } from '../connections/queries.ts'
import type { Package } from '../packages/queries.ts'
import { withPackageToken } from '../session/api.ts'
import { transfersQuery } from './queries.ts'

interface SendDialogProps {
  readonly pkg: Package
  readonly targets: readonly Connection[]
  readonly onClose: () => void
}

/** Sends a package to a connection of the Team. */
export function SendDialog({ pkg, targets, onClose }: SendDialogProps) {
  const text = useText<'console'>()
  const client = useQueryClient()
  const { register, handleSubmit, watch } = useForm({ defaultValues: { to: targets[0]?.id ?? '', folder: '' } })
  const usualFolder = targets.find(({ id }) => id === watch('to'))?.target_directory ?? ''
  const send = useMutation({
    mutationFn: ({ to, folder }: { readonly to: string; readonly folder: string }) =>
      withPackageToken(pkg.access_token ?? '', startTransfer, {
        params: { package_id: pkg.id },
        body: { cloud_connection_id: to, ...(folder.trim() === '' ? {} : { target_directory: folder.trim() }) },
      }),
    onSuccess: async () => {
      await client.invalidateQueries(transfersQuery(pkg))
      onClose()
    },
  })
  return (
    <DialogBox title={text('transfers.send')} isOpen onClose={onClose}>
      <form className="flex flex-col gap-4" onSubmit={(event) => void handleSubmit((a) => send.mutate(a))(event)}>
        <Labelled label={text('transfers.to')}>
          {(field) => (
            <select {...field} className="input" {...register('to')} autoFocus>
              {targets.map(({ id, name }) => (
                <option key={id} value={id}>
                  {name}
                </option>
              ))}
            </select>
          )}
        </Labelled>
        <Labelled label={text('connections.directory')} hint={text('transfers.folderHint')}>
          {(field) => (
            <input
              {...field}
              className="input font-mono"
              placeholder={usualFolder}
              maxLength={1_024}
              spellCheck={false}
              autoCapitalize="off"
              {...register('folder')}
            />
          )}
        </Labelled>
        <FormActions
          error={send.error}
          isPending={send.isPending}
          onCancel={onClose}
          submit={text('transfers.sendNow')}
        />
      </form>
    </DialogBox>
  )
}
