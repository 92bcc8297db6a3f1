import { type Reads, sql, type Tx } from '#platform/db'

export interface WebhookRow {
  readonly team_id: string
  readonly id: string
  readonly name: string
  readonly active: boolean
  readonly events: readonly string[]
  readonly method: 'POST' | 'PUT'
  readonly url: string
  readonly headers_sealed: Buffer
  /** JSON, as it is sent. */
  readonly body_extras: string
  readonly created_at: Date
  readonly updated_at: Date
}

const columns = sql`w.team_id, w.id, w.name, w.active, w.events, w.method, w.url, w.headers_sealed, w.body_extras,
  w.created_at, w.updated_at`

export const webhookById = (reads: Reads, id: string) =>
  reads.row<WebhookRow>(sql`select ${columns} from webhooks w where w.id = ${id}`)

/** With the number of Portals that each is attached to. */
export const webhooksOfTeam = (reads: Reads, teamId: string) =>
  reads.rows<WebhookRow & { connections: number }>(sql`
    select ${columns}, (
             select count(*)::integer
               from portal_webhooks a join portals p on p.team_id = a.team_id and p.id = a.portal_id
              where a.team_id = w.team_id and a.webhook_id = w.id and p.deleted_at is null
           ) as connections
      from webhooks w
     where w.team_id = ${teamId}
     order by w.created_at, w.id
  `)

export interface WebhookContent {
  readonly name: string
  readonly active: boolean
  readonly events: readonly string[]
  readonly method: 'POST' | 'PUT'
  readonly url: string
  readonly headersSealed: Buffer
  readonly bodyExtras: string
}

export const insertWebhook = (
  tx: Tx,
  hook: WebhookContent & { readonly id: string; readonly teamId: string; readonly secretSealed: Buffer },
) =>
  tx.row<WebhookRow>(sql`
    insert into webhooks as w (team_id, id, name, active, events, method, url, headers_sealed, body_extras,
                               secret_sealed)
    values (${hook.teamId}, ${hook.id}, ${hook.name}, ${hook.active}, ${hook.events}, ${hook.method}, ${hook.url},
            ${hook.headersSealed}, ${hook.bodyExtras}, ${hook.secretSealed})
    returning ${columns}
  `)

/** Undefined when it was deleted. */
export const updateWebhookRow = (tx: Tx, teamId: string, id: string, hook: WebhookContent) =>
  tx.row<WebhookRow>(sql`
    update webhooks w
       set name = ${hook.name}, active = ${hook.active}, events = ${hook.events}, method = ${hook.method},
           url = ${hook.url}, headers_sealed = ${hook.headersSealed}, body_extras = ${hook.bodyExtras},
           updated_at = now()
     where w.team_id = ${teamId} and w.id = ${id}
    returning ${columns}
  `)

/** Deletes a webhook with its attachments. What waits for it is dropped when its time comes. */
export const deleteWebhookRow = async (tx: Tx, teamId: string, id: string): Promise<boolean> =>
  (await tx.run(sql`delete from webhooks where team_id = ${teamId} and id = ${id}`)) === 1

/** Switches a webhook off. Returns false when it was off already, or is gone. */
export const deactivateWebhook = async (tx: Tx, teamId: string, id: string): Promise<boolean> =>
  (await tx.run(sql`
    update webhooks set active = false, updated_at = now() where team_id = ${teamId} and id = ${id} and active
  `)) === 1

/** Answers until when the secret before is still used; undefined when the webhook was deleted. */
export const rotateSecretRow = async (
  tx: Tx,
  teamId: string,
  id: string,
  secretSealed: Buffer,
  overlapHours: number,
): Promise<Date | undefined> =>
  (
    await tx.row<{ until: Date }>(sql`
      update webhooks
         set previous_secret_sealed = secret_sealed,
             previous_secret_until = now() + make_interval(hours => ${overlapHours}::integer),
             secret_sealed = ${secretSealed}, updated_at = now()
       where team_id = ${teamId} and id = ${id}
      returning previous_secret_until as until
    `)
  )?.until
