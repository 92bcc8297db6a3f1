import { createConnection, updateConnection } from '@longshore/contract/cloud/connections'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { FormProvider, useForm } from 'react-hook-form'
import { useText } from '#text/use-text.tsx'
import { DialogBox } from '#ui/kit/dialog-box.tsx'
import { FormActions } from '#ui/plain/form-actions.tsx'
import { Labelled } from '#ui/plain/labelled.tsx'
import { useTeam } from '../frame/team.ts'
import { asUser } from '../session/api.ts'
import { type Answers, answersOf, connectionBodyOf } from './answers.ts'
import type { Connection } from './queries.ts'
import { StoreFields } from './store-fields.tsx'

const providers = ['s3', 'storage_gateway'] as const
const directions = ['both', 'export', 'import'] as const

/** A connection that was just made; that of a storage gateway brings its secret. */
export type Made = Connection & { readonly secret?: string }

interface ConnectionDialogProps {
  /** The one that is changed; a new one where left out. */
  readonly connection: Connection | undefined
  readonly onClose: (made: Made | undefined) => void
}

export function ConnectionDialog({ connection, onClose }: ConnectionDialogProps) {
  const text = useText<'console'>()
  const team = useTeam()
  const client = useQueryClient()
  const methods = useForm<Answers>({ defaultValues: answersOf(connection) })
  const { register, handleSubmit, watch } = methods
  const save = useMutation({
    mutationFn: async (answers: Answers) => {
      const { provider, ...body } = connectionBodyOf(answers)
      if (connection === undefined) {
        return asUser(createConnection, { params: { team_id: team.id }, body: { provider, ...body } })
      }
      await asUser(updateConnection, { params: { cloud_connection_id: connection.id }, body })
      return undefined
    },
    onSuccess: async (made) => {
      await client.invalidateQueries({ queryKey: ['connections'] })
      onClose(made)
    },
  })
  const isStore = watch('provider') === 's3'
  return (
    <DialogBox
      title={text(connection === undefined ? 'connections.new' : 'connections.edit')}
      isOpen
      wide
      onClose={() => onClose(undefined)}
    >
      <FormProvider {...methods}>
        <form className="flex flex-col gap-4" onSubmit={(event) => void handleSubmit((a) => save.mutate(a))(event)}>
          {connection === undefined && (
            <fieldset>
              <legend className="field-label mb-2">{text('connections.kind')}</legend>
              <div className="grid gap-2.5 sm:grid-cols-2">
                {providers.map((provider) => (
                  <label key={provider} className="check">
                    <input type="radio" value={provider} {...register('provider')} />
                    <span>
                      <span className="font-medium">{text(`connections.kind.${provider}`)}</span>
                      <span className="block text-sm text-ink-soft">{text(`connections.kind.${provider}.hint`)}</span>
                    </span>
                  </label>
                ))}
              </div>
            </fieldset>
          )}
          <div className="grid gap-4 sm:grid-cols-2">
            <Labelled label={text('connections.name')}>
              {(field) => (
                <input {...field} className="input" required maxLength={200} {...register('name')} autoFocus />
              )}
            </Labelled>
            <Labelled label={text('connections.direction')}>
              {(field) => (
                <select {...field} className="input" {...register('direction')}>
                  {directions.map((direction) => (
                    <option key={direction} value={direction}>
                      {text(`connections.direction.${direction}`)}
                    </option>
                  ))}
                </select>
              )}
            </Labelled>
          </div>
          {isStore && <StoreFields isNew={connection === undefined} />}
          <Labelled label={text('connections.directory')} hint={text('connections.directoryHint')}>
            {(field) => (
              <input
                {...field}
                className="input font-mono"
                maxLength={1_024}
                spellCheck={false}
                autoCapitalize="off"
                {...register('directory')}
              />
            )}
          </Labelled>
          <FormActions error={save.error} isPending={save.isPending} onCancel={() => onClose(undefined)} />
        </form>
      </FormProvider>
    </DialogBox>
  )
}
