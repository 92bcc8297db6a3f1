import { type Reads, sql, type Tx } from '#platform/db'

export type DeliveryState = 'pending' | 'delivered' | 'failed'

export interface DeliveryRow {
  readonly day: string
  readonly id: string
  readonly team_id: string
  readonly webhook_id: string
  readonly event_id: string
  readonly event_type: string
  readonly package_id: string | null
  readonly state: DeliveryState
  readonly attempts: number
  readonly response_status: number
  readonly error: string
  readonly created_at: Date
  readonly last_attempt_at: Date | null
  readonly next_attempt_at: Date | null
}

// The day as text: it is only ever handed back, and a Date would shift it by the zone of this process.
const columns = sql`d.day::text as day, d.id, d.team_id, d.webhook_id, d.event_id, d.event_type, d.package_id, d.state,
  d.attempts, d.response_status, d.error, d.created_at, d.last_attempt_at, d.next_attempt_at`

// Written out for each, so that the small index over what is not delivered serves the two that are rare.
const inState = {
  pending: sql`and d.state = 'pending' and d.state <> 'delivered'`,
  delivered: sql`and d.state = 'delivered'`,
  failed: sql`and d.state = 'failed' and d.state <> 'delivered'`,
}

/** Newest first; identifiers follow the time they were made. */
export const deliveriesOfWebhook = (
  reads: Reads,
  hook: { team_id: string; id: string },
  page: { after: string | undefined; limit: number; state: DeliveryState | undefined },
) =>
  reads.rows<DeliveryRow>(sql`
    select ${columns}
      from deliveries d
     where d.team_id = ${hook.team_id} and d.webhook_id = ${hook.id}
       ${page.after === undefined ? sql`` : sql`and d.id < ${page.after}`}
       ${page.state === undefined ? sql`` : inState[page.state]}
     order by d.id desc
     limit ${page.limit}
  `)

/** Makes a new delivery with the event and the bytes of an old one. Undefined when there is no such old one. */
export const copyDelivery = (tx: Tx, hook: { team_id: string; id: string }, id: string) =>
  tx.row<DeliveryRow>(sql`
    insert into deliveries as d (id, team_id, webhook_id, event_id, event_type, package_id, body)
    select new_id(), o.team_id, o.webhook_id, o.event_id, o.event_type, o.package_id, o.body
      from deliveries o
     where o.team_id = ${hook.team_id} and o.webhook_id = ${hook.id} and o.id = ${id}
    returning ${columns}
  `)

export interface NewDelivery {
  readonly teamId: string
  readonly webhookId: string
  readonly eventId: string
  readonly eventType: string
  readonly body: string
}

export const insertDelivery = (tx: Tx, delivery: NewDelivery) =>
  tx.row<DeliveryRow>(sql`
    insert into deliveries as d (id, team_id, webhook_id, event_id, event_type, body)
    values (new_id(), ${delivery.teamId}, ${delivery.webhookId}, ${delivery.eventId}, ${delivery.eventType},
            ${delivery.body})
    returning ${columns}
  `)

/** A delivery to be tried now, with its webhook as it is at this moment. */
export interface TakenDelivery {
  readonly day: string
  readonly id: string
  readonly team_id: string
  readonly webhook_id: string
  readonly event_id: string
  readonly event_type: string
  readonly body: string
  readonly attempts: number
  /** Null, like all that follow, when the webhook was deleted. */
  readonly active: boolean | null
  readonly method: 'POST' | 'PUT'
  readonly url: string
  readonly headers_sealed: Buffer
  readonly secret_sealed: Buffer
  /** Null unless it still signs. */
  readonly previous_secret_sealed: Buffer | null
}

export interface Taking {
  /** Days that are looked through. Given as values, so that the plan holds their partitions alone. */
  readonly from: string
  readonly to: string
  readonly limit: number
  /** How many one webhook may have at once, */
  readonly each: number
  /** and how many more for those that have some already; none: left out. */
  readonly free: ReadonlyMap<string, number>
  /** For so long nobody else takes them. */
  readonly leaseSeconds: number
}

// How far one look sees ahead. What it sees of a webhook beyond its share stays where it is.
const horizon = 256

/** Takes deliveries that are due, the oldest first, no webhook more than its share. */
export const takeDue = (tx: Tx, taking: Taking) =>
  tx.rows<TakenDelivery>(sql`
    with due as materialized (
      select d.day, d.id, d.webhook_id, d.next_attempt_at
        from deliveries d
       where d.state = 'pending' and d.next_attempt_at <= now()
         and d.day between ${taking.from} and ${taking.to}
         and d.webhook_id <> all(${[...taking.free].filter(([, free]) => free <= 0).map(([id]) => id)}::uuid[])
       order by d.next_attempt_at
       limit ${horizon}
    ), share as (
      select due.day, due.id, coalesce(f.free, ${taking.each}::integer) as free,
             row_number() over (partition by due.webhook_id order by due.next_attempt_at, due.id) as nth
        from due
        left join unnest(${[...taking.free.keys()]}::uuid[], ${[...taking.free.values()]}::integer[])
               as f (webhook_id, free) on f.webhook_id = due.webhook_id
    ), taken as (
      select d.day, d.id, d.team_id, d.webhook_id
        from share s join deliveries d on d.day = s.day and d.id = s.id and d.day between ${taking.from} and ${taking.to}
       where s.nth <= s.free and d.state = 'pending' and d.next_attempt_at <= now()
       order by d.next_attempt_at
       limit ${taking.limit}
         for update of d skip locked
    )
    update deliveries d
       set next_attempt_at = now() + make_interval(secs => ${taking.leaseSeconds}::integer)
      from taken t left join webhooks w on w.team_id = t.team_id and w.id = t.webhook_id
     where d.day = t.day and d.id = t.id and d.day between ${taking.from} and ${taking.to}
    returning d.day::text as day, d.id, d.team_id, d.webhook_id, d.event_id, d.event_type, d.body, d.attempts,
              w.active, w.method, w.url, w.headers_sealed, w.secret_sealed,
              case when w.previous_secret_until > now() then w.previous_secret_sealed end as previous_secret_sealed
  `)

type Key = Pick<TakenDelivery, 'day' | 'id'>

/** Also true of a delivery that somebody else has taken meanwhile: it did arrive. */
export const noteDelivered = (tx: Tx, { day, id }: Key, status: number) =>
  tx.run(sql`
    update deliveries
       set state = 'delivered', attempts = attempts + 1, response_status = ${status}, error = '',
           last_attempt_at = now(), next_attempt_at = null
     where day = ${day} and id = ${id} and state = 'pending'
  `)

export interface FailedAttempt {
  readonly status: number
  readonly error: string
  /** Null: there is no next one. */
  readonly retrySeconds: number | null
}

/** Returns false when another attempt was noted since this one began. */
export const noteFailed = async (
  tx: Tx,
  { day, id, attempts }: Key & { readonly attempts: number },
  failed: FailedAttempt,
): Promise<boolean> =>
  (await tx.run(sql`
    update deliveries
       set state = case when ${failed.retrySeconds}::float8 is null then 'failed' else 'pending' end,
           attempts = attempts + 1, response_status = ${failed.status}, error = ${failed.error},
           last_attempt_at = now(), next_attempt_at = now() + make_interval(secs => ${failed.retrySeconds}::float8)
     where day = ${day} and id = ${id} and state = 'pending' and attempts = ${attempts}
  `)) === 1

/** Gives up a delivery that was not tried. */
export const dropDelivery = (tx: Tx, { day, id }: Key, error: string) =>
  tx.run(sql`
    update deliveries set state = 'failed', error = ${error}, next_attempt_at = null
     where day = ${day} and id = ${id} and state = 'pending'
  `)
