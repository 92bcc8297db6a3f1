import { deleteWebhook, rotateWebhookSecret, testWebhook } from '@longshore/contract/cloud/webhooks'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate, useParams } from '@tanstack/react-router'
import { FlaskConical, Pencil, RotateCcwKey, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { useFormat, useText } from '#text/use-text.tsx'
import { type Action, ActionMenu } from '#ui/kit/action-menu.tsx'
import { ConfirmDialog } from '#ui/kit/confirm-dialog.tsx'
import { Notice } from '#ui/plain/notice.tsx'
import { Refusal } from '#ui/plain/refusal.tsx'
import { toast } from '#ui/plain/toasts.tsx'
import { BackLink } from '../frame/back-link.tsx'
import { Loaded } from '../frame/loaded.tsx'
import { PageHead } from '../frame/page-head.tsx'
import { ShownOnce } from '../frame/shown-once.tsx'
import { useTeam } from '../frame/team.ts'
import { asUser } from '../session/api.ts'
import { DeliveryLog } from './delivery-log.tsx'
import { type Webhook, webhooksQuery } from './queries.ts'
import { WebhookDialog } from './webhook-dialog.tsx'

export function WebhookPage() {
  const text = useText<'console'>()
  const team = useTeam()
  const { webhookId } = useParams({ from: '/console/$team/webhooks/$webhookId' })
  const webhooks = useQuery(webhooksQuery(team.id))
  return (
    <>
      <BackLink to="/console/$team/webhooks">{text('webhooks.title')}</BackLink>
      <Loaded query={webhooks}>
        {(listed) => {
          const webhook = listed.find(({ id }) => id === webhookId)
          return webhook === undefined ? (
            <Notice kind="danger">{text('webhooks.gone')}</Notice>
          ) : (
            <Details webhook={webhook} />
          )
        }}
      </Loaded>
    </>
  )
}

function Details({ webhook }: { readonly webhook: Webhook }) {
  const text = useText<'console'>()
  const format = useFormat()
  const team = useTeam()
  const client = useQueryClient()
  const navigate = useNavigate()
  const [open, setOpen] = useState<'edit' | 'delete'>()
  const params = { custom_webhook_id: webhook.id }
  const renewLog = () => client.invalidateQueries({ queryKey: ['deliveries', webhook.id] })
  const tryOut = useMutation({
    mutationFn: () => asUser(testWebhook, { params }),
    onSuccess: async () => {
      toast(text('webhooks.testSent'))
      await renewLog()
    },
  })
  const rotate = useMutation({ mutationFn: () => asUser(rotateWebhookSecret, { params }) })
  const remove = useMutation({
    mutationFn: () => asUser(deleteWebhook, { params }),
    onSuccess: async () => {
      await navigate({ to: '/console/$team/webhooks', params: { team: team.subdomain } })
      await client.invalidateQueries({ queryKey: ['webhooks'] })
    },
  })
  const actions: readonly Action[] = [
    { id: 'edit', label: text('webhooks.edit'), icon: Pencil, onAction: () => setOpen('edit') },
    { id: 'rotate', label: text('webhooks.rotate'), icon: RotateCcwKey, onAction: () => rotate.mutate() },
    { id: 'delete', label: text('list.delete'), icon: Trash2, isDangerous: true, onAction: () => setOpen('delete') },
  ]
  const name = webhook.name === '' ? webhook.url : webhook.name
  return (
    <>
      <PageHead title={name} about={`${webhook.method} ${webhook.url}`}>
        <button type="button" className="button" disabled={tryOut.isPending} onClick={() => tryOut.mutate()}>
          <FlaskConical size={17} aria-hidden />
          {text('webhooks.test')}
        </button>
        <ActionMenu label={text('list.actionsOf', { name })} actions={actions} className="button button-icon" />
      </PageHead>
      <div className="mb-5 flex flex-wrap items-center gap-1.5">
        <span className={webhook.active ? 'badge badge-good' : 'badge'}>
          {text(webhook.active ? 'webhooks.on' : 'webhooks.off')}
        </span>
        {webhook.events.map((event) => (
          <span key={event} className="badge font-mono">
            {event}
          </span>
        ))}
      </div>
      <Refusal error={tryOut.error ?? rotate.error} />
      <DeliveryLog webhookId={webhook.id} />
      {open === 'edit' && <WebhookDialog webhook={webhook} onClose={() => setOpen(undefined)} />}
      {rotate.data !== undefined && (
        <ShownOnce
          title={text('webhooks.rotated', { time: format.dateTime(rotate.data.previous_secret_expiry) })}
          label={text('webhooks.secret')}
          value={rotate.data.secret}
          onClose={() => rotate.reset()}
        />
      )}
      <ConfirmDialog
        title={text('webhooks.deleteTitle', { name })}
        action={text('list.delete')}
        isOpen={open === 'delete'}
        isPending={remove.isPending}
        error={remove.error}
        onConfirm={() => remove.mutate()}
        onClose={() => setOpen(undefined)}
      >
        {text('webhooks.deleteHint')}
      </ConfirmDialog>
    </>
  )
}
