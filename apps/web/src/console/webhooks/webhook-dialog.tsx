import { createWebhook, updateWebhook, webhookEvents } from '@longshore/contract/cloud/webhooks'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useForm } from 'react-hook-form'
import { useText } from '#text/use-text.tsx'
import { DialogBox } from '#ui/kit/dialog-box.tsx'
import { FormActions } from '#ui/plain/form-actions.tsx'
import { Labelled } from '#ui/plain/labelled.tsx'
import { useTeam } from '../frame/team.ts'
import { asUser } from '../session/api.ts'
import { linesOf, pairsOf } from './pairs.ts'
import type { Webhook } from './queries.ts'

interface Answers {
  readonly name: string
  readonly url: string
  readonly method: 'POST' | 'PUT'
  readonly active: boolean
  readonly events: Webhook['events']
  readonly headers: string
  readonly body_extras: string
}

interface WebhookDialogProps {
  /** The one that is changed; a new one where left out. */
  readonly webhook: Webhook | undefined
  /** A new one brings its secret. */
  readonly onClose: (secret: string | undefined) => void
}

export function WebhookDialog({ webhook, onClose }: WebhookDialogProps) {
  const text = useText<'console'>()
  const team = useTeam()
  const client = useQueryClient()
  const { register, handleSubmit } = useForm<Answers>({
    defaultValues: {
      name: webhook?.name ?? '',
      url: webhook?.url ?? '',
      method: webhook?.method ?? 'POST',
      active: webhook?.active ?? true,
      events: webhook?.events ?? ['package.finalized'],
      headers: linesOf(webhook?.headers ?? {}),
      body_extras: linesOf(webhook?.body_extras ?? {}),
    },
  })
  const save = useMutation({
    mutationFn: async ({ headers, body_extras: extras, ...rest }: Answers) => {
      const body = { ...rest, headers: pairsOf(headers), body_extras: pairsOf(extras) }
      if (webhook === undefined) {
        return (await asUser(createWebhook, { params: { team_id: team.id }, body })).secret
      }
      await asUser(updateWebhook, { params: { custom_webhook_id: webhook.id }, body })
      return undefined
    },
    onSuccess: async (secret) => {
      await client.invalidateQueries({ queryKey: ['webhooks'] })
      onClose(secret)
    },
  })
  return (
    <DialogBox
      title={text(webhook === undefined ? 'webhooks.new' : 'webhooks.edit')}
      isOpen
      wide
      onClose={() => onClose(undefined)}
    >
      <form className="flex flex-col gap-4" onSubmit={(event) => void handleSubmit((a) => save.mutate(a))(event)}>
        <div className="grid gap-4 sm:grid-cols-[7rem_1fr]">
          <Labelled label={text('webhooks.method')}>
            {(field) => (
              <select {...field} className="input" {...register('method')}>
                <option>POST</option>
                <option>PUT</option>
              </select>
            )}
          </Labelled>
          <Labelled label={text('webhooks.url')}>
            {(field) => (
              <input
                {...field}
                type="url"
                className="input"
                required
                maxLength={2_048}
                placeholder="https://"
                {...register('url')}
                autoFocus
              />
            )}
          </Labelled>
        </div>
        <Labelled label={text('webhooks.name')} hint={text('webhooks.nameHint')}>
          {(field) => <input {...field} className="input" maxLength={200} {...register('name')} />}
        </Labelled>
        <fieldset>
          <legend className="field-label mb-2">{text('webhooks.events')}</legend>
          <div className="grid gap-2 sm:grid-cols-2">
            {webhookEvents.map((event) => (
              <label key={event} className="check font-mono text-sm">
                <input type="checkbox" value={event} {...register('events')} />
                <span className="pt-0.5">{event}</span>
              </label>
            ))}
          </div>
        </fieldset>
        <div className="grid gap-4 sm:grid-cols-2">
          <Labelled label={text('webhooks.headers')} hint={text('webhooks.pairsHint')}>
            {(field) => (
              <textarea {...field} className="input font-mono text-sm" spellCheck={false} {...register('headers')} />
            )}
          </Labelled>
          <Labelled label={text('webhooks.extras')} hint={text('webhooks.pairsHint')}>
            {(field) => (
              <textarea
                {...field}
                className="input font-mono text-sm"
                spellCheck={false}
                {...register('body_extras')}
              />
            )}
          </Labelled>
        </div>
        <label className="check">
          <input type="checkbox" {...register('active')} />
          {text('webhooks.isActive')}
        </label>
        <FormActions error={save.error} isPending={save.isPending} onCancel={() => onClose(undefined)} />
      </form>
    </DialogBox>
  )
}
