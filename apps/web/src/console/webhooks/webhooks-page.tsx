import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Plus, Webhook as WebhookIcon } from 'lucide-react'
import { useState } from 'react'
import { useFormat, useText } from '#text/use-text.tsx'
import { EmptyState } from '#ui/plain/empty-state.tsx'
import { Loaded } from '../frame/loaded.tsx'
import { PageHead } from '../frame/page-head.tsx'
import { ShownOnce } from '../frame/shown-once.tsx'
import { useTeam } from '../frame/team.ts'
import { webhooksQuery } from './queries.ts'
import { WebhookDialog } from './webhook-dialog.tsx'

export function WebhooksPage() {
  const text = useText<'console'>()
  const format = useFormat()
  const team = useTeam()
  const webhooks = useQuery(webhooksQuery(team.id))
  const [isCreating, setCreating] = useState(false)
  const [secret, setSecret] = useState<string>()
  return (
    <>
      <PageHead title={text('webhooks.title')} about={text('webhooks.about')}>
        <button type="button" className="button button-primary" onClick={() => setCreating(true)}>
          <Plus size={17} aria-hidden />
          {text('webhooks.new')}
        </button>
      </PageHead>
      <Loaded query={webhooks}>
        {(listed) => (
          <div className="card table-frame">
            {listed.length === 0 ? (
              <EmptyState icon={WebhookIcon} title={text('webhooks.none')}>
                <p>{text('webhooks.noneHint')}</p>
              </EmptyState>
            ) : (
              <table className="table" aria-label={text('webhooks.title')}>
                <thead>
                  <tr>
                    <th scope="col">{text('webhooks.name')}</th>
                    <th scope="col">{text('package.status')}</th>
                    <th scope="col" className="max-md:hidden">
                      {text('webhooks.events')}
                    </th>
                    <th scope="col" className="end max-sm:hidden">
                      {text('nav.portals')}
                    </th>
                  </tr>
                </thead>
                <tbody>
                  {listed.map((webhook) => (
                    <tr key={webhook.id}>
                      <td>
                        <Link
                          to="/console/$team/webhooks/$webhookId"
                          params={{ team: team.subdomain, webhookId: webhook.id }}
                          className="font-semibold hover:underline"
                        >
                          {webhook.name === '' ? webhook.url : webhook.name}
                        </Link>
                        <span className="block text-sm text-ink-soft">
                          {webhook.method} {webhook.url}
                        </span>
                      </td>
                      <td>
                        <span className={webhook.active ? 'badge badge-good' : 'badge'}>
                          {text(webhook.active ? 'webhooks.on' : 'webhooks.off')}
                        </span>
                      </td>
                      <td className="max-md:hidden">
                        <span className="flex flex-wrap gap-1">
                          {webhook.events.map((event) => (
                            <span key={event} className="badge font-mono">
                              {event}
                            </span>
                          ))}
                        </span>
                      </td>
                      <td className="numeric end max-sm:hidden">{format.number(webhook.connections)}</td>
                    </tr>
                  ))}
                </tbody>
              </table>
            )}
          </div>
        )}
      </Loaded>
      {isCreating && (
        <WebhookDialog
          webhook={undefined}
          onClose={(made) => {
            setCreating(false)
            setSecret(made)
          }}
        />
      )}
      {secret !== undefined && (
        <ShownOnce
          title={text('webhooks.made')}
          label={text('webhooks.secret')}
          value={secret}
          onClose={() => setSecret(undefined)}
        />
      )}
    </>
  )
}
