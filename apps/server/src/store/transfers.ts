import { type Reads, sql, type Tx } from '#platform/db'
import type { Provider } from './connections.ts'
import { packagesOf } from './packages.ts'

export type TransferState = 'pending' | 'started' | 'complete' | 'cancelled' | 'error'

export type TransferDirection = 'import' | 'export'

export interface TransferRow {
  readonly team_id: string
  readonly id: string
  readonly package_id: string
  /** Null where keys were given for this one transfer. */
  readonly connection_id: string | null
  readonly provider: Provider
  readonly authorization_sealed: Buffer | null
  readonly direction: TransferDirection
  /** Where the package goes, or where its files come from. */
  readonly folder: string
  /** Of an import: whether the package is finalized when all of it has arrived. */
  readonly finalize: boolean
  /** Of an import: whether all that is wanted is in the list of the package. */
  readonly listed: boolean
  readonly state: TransferState
  readonly size: number
  readonly progress: number
  readonly left_out: number
  readonly error: string
  readonly run: number
  readonly failures: number
  readonly done_through: string | null
  readonly created_at: Date
  readonly updated_at: Date
}

const columns = sql`t.team_id, t.id, t.package_id, t.connection_id, t.provider, t.authorization_sealed,
  t.direction, t.folder, t.finalize, t.listed, t.state, t.size, t.progress, t.left_out, t.error, t.run,
  t.failures, t.done_through, t.created_at, t.updated_at`

export interface NewTransfer {
  readonly id: string
  readonly teamId: string
  readonly packageId: string
  readonly connectionId: string | null
  readonly provider: Provider
  readonly authorizationSealed: Buffer | null
  readonly folder: string
  readonly size: number
  /** Of an import alone. */
  readonly wanted?: { readonly paths: readonly string[]; readonly finalize: boolean }
}

export const insertTransfer = (tx: Tx, made: NewTransfer) =>
  tx.row<TransferRow>(sql`
    insert into transfers as t (team_id, id, package_id, connection_id, provider, authorization_sealed, folder, size,
                                direction, paths, finalize)
    values (${made.teamId}, ${made.id}, ${made.packageId}, ${made.connectionId}, ${made.provider},
            ${made.authorizationSealed}, ${made.folder}, ${made.size},
            ${made.wanted === undefined ? 'export' : 'import'}, ${made.wanted?.paths}, ${made.wanted?.finalize ?? false})
    returning ${columns}
  `)

/** One transfer for each connection of the Portal that takes files. Answers where they go. */
export const insertPortalTransfers = (
  tx: Tx,
  pkg: { readonly team_id: string; readonly id: string; readonly portal_id: string; readonly size: number },
  folder: string,
) =>
  tx.rows<{ connection_id: string; provider: Provider }>(sql`
    insert into transfers as t (team_id, id, package_id, connection_id, provider, folder, size)
    select c.team_id, new_id(), ${pkg.id}, c.id, c.provider,
           case c.target_directory when '' then ${folder}::text else c.target_directory || '/' || ${folder} end,
           ${pkg.size}
      from portal_connections a join cloud_connections c on c.team_id = a.team_id and c.id = a.connection_id
     where a.team_id = ${pkg.team_id} and a.portal_id = ${pkg.portal_id} and c.direction <> 'import'
       for key share of c
    returning t.connection_id, t.provider
  `)

export const transferById = (reads: Reads, teamId: string, id: string) =>
  reads.row<TransferRow>(sql`select ${columns} from transfers t where t.team_id = ${teamId} and t.id = ${id}`)

/** The latest first. */
export const transfersOfPackage = (reads: Reads, teamId: string, packageId: string, limit: number) =>
  reads.rows<TransferRow>(sql`
    select ${columns} from transfers t
     where t.team_id = ${teamId} and t.package_id = ${packageId}
     order by t.id desc
     limit ${limit}
  `)

/** Ends a transfer that is under way; what was begun elsewhere is taken back a little later. Undefined when it had ended. */
export const cancelTransferRow = (tx: Tx, teamId: string, id: string, tidyAfterSeconds: number) =>
  tx.row<TransferRow>(sql`
    update transfers t
       set state = 'cancelled', updated_at = now(), failures = 0, due = now() + make_interval(secs => ${tidyAfterSeconds})
     where t.team_id = ${teamId} and t.id = ${id} and t.state in ('pending', 'started')
    returning ${columns}
  `)

/**
 * Sets an ended transfer going again; an import looks anew what there is. Undefined when it has not ended, or ended well,
 * or its keys are gone.
 */
export const retryTransferRow = (tx: Tx, teamId: string, id: string) =>
  tx.row<TransferRow>(sql`
    update transfers t
       set state = 'pending', error = '', failures = 0, listed = false, due = now(), updated_at = now()
     where t.team_id = ${teamId} and t.id = ${id} and t.state in ('cancelled', 'error')
       and (t.authorization_sealed is not null or exists (
         select 1 from cloud_connections c where c.team_id = t.team_id and c.id = t.connection_id))
    returning ${columns}
  `)

/**
 * Ends everything that is under way over a connection: it is being deleted, and its keys with it. What an import has left
 * in its package is taken back without them, once whoever carries it has let go.
 */
export const endTransfersOver = (tx: Tx, teamId: string, connectionId: string, error: string) =>
  tx.run(sql`
    update transfers t
       set state = 'error', error = ${error}, updated_at = now(),
           due = case when t.direction = 'import' then now() + interval '3 seconds' end
     where t.team_id = ${teamId} and t.connection_id = ${connectionId} and t.state in ('pending', 'started')
  `)

/** Takes the transfer to a store that has waited longest for somebody to do something. For so long nobody else does. */
export const takeDueTransfer = (tx: Tx, leaseSeconds: number) =>
  tx.row<TransferRow>(sql`
    update transfers t
       set due = now() + make_interval(secs => ${leaseSeconds}), run = t.run + 1
      from (select team_id, id from transfers
             where due <= now() and provider = 's3'
             order by due
             limit 1
               for update skip locked) d
     where t.team_id = d.team_id and t.id = d.id
    returning ${columns}
  `)

/** The same of one storage gateway. */
export const takeDueForGateway = (tx: Tx, connectionId: string, leaseSeconds: number) =>
  tx.row<TransferRow>(sql`
    update transfers t
       set due = now() + make_interval(secs => ${leaseSeconds}), run = t.run + 1
      from (select team_id, id from transfers
             where due <= now() and provider = 'storage_gateway' and connection_id = ${connectionId}
             order by due
             limit 1
               for update skip locked) d
     where t.team_id = d.team_id and t.id = d.id
    returning ${columns}
  `)

/** An import that has ended and whose agent, for so long, has not been there to take back what it began. */
export const takeLeftByGateway = (tx: Tx, leaseSeconds: number, awaySeconds: number) =>
  tx.row<TransferRow>(sql`
    update transfers t
       set due = now() + make_interval(secs => ${leaseSeconds}), run = t.run + 1
      from (select team_id, id from transfers
             where due <= now() - make_interval(secs => ${awaySeconds}) and provider = 'storage_gateway'
               and direction = 'import' and state in ('cancelled', 'error')
             order by due
             limit 1
               for update skip locked) d
     where t.team_id = d.team_id and t.id = d.id
    returning ${columns}
  `)

/** A transfer as the one who took it names it. */
export interface Held {
  readonly team_id: string
  readonly id: string
  readonly run: number
}

/** For a condition on transfers as `t`. */
export const held = ({ team_id, id, run }: Held) => sql`t.team_id = ${team_id} and t.id = ${id} and t.run = ${run}`

export interface Survey {
  /** Of all that is sent. */
  readonly size: number
  readonly progress: number
  readonly leftOut: number
}

/** Sets a transfer going. Returns false when it was cancelled or taken by another. */
export const markStarted = async (tx: Tx, transfer: Held, survey: Survey): Promise<boolean> =>
  (await tx.run(sql`
    update transfers t
       set state = 'started', size = ${survey.size}, progress = ${survey.progress}, left_out = ${survey.leftOut},
           updated_at = now()
     where ${held(transfer)} and t.state in ('pending', 'started')
  `)) === 1

export interface Reached {
  readonly progress: number
  /** Every file up to this one needs nothing more; undefined before the first. */
  readonly doneThrough?: string | undefined
  /** Where it turns out only on the way. */
  readonly size?: number | undefined
  readonly leftOut?: number | undefined
}

/**
 * Says how far a transfer is, and keeps it for so much longer. `package_alive` tells whether there is still something to
 * carry. Undefined when it was cancelled or taken by another: whoever carries it must stop.
 */
export const keepGoing = (
  tx: Tx,
  transfer: Held & { readonly package_id: string },
  { progress, doneThrough, size, leftOut }: Reached,
  leaseSeconds: number,
) =>
  tx.row<{ package_alive: boolean }>(sql`
    update transfers t
       set size = coalesce(${size}::bigint, t.size), progress = least(${progress}, coalesce(${size}::bigint, t.size)),
           due = now() + make_interval(secs => ${leaseSeconds}), updated_at = now(),
           done_through = greatest(${doneThrough}::uuid, t.done_through),
           left_out = coalesce(${leftOut}::integer, t.left_out),
           failures = case when ${progress} > t.progress then 0 else t.failures end
     where ${held(transfer)} and t.state = 'started'
    returning exists (
      select 1 from ${packagesOf(transfer.team_id)} p
       where p.team_id = ${transfer.team_id} and p.id = ${transfer.package_id}
         and case t.direction when 'import' then p.state = 'new'
             else p.state = 'finalized' and (p.expiry is null or p.expiry > now()) end) as package_alive
  `)

/** Forgets what was remembered of files that need nothing more. */
export const forgetFilesThrough = (tx: Tx, transfer: Held, fileId: string) =>
  tx.run(sql`
    delete from transfer_files
     where team_id = ${transfer.team_id} and transfer_id = ${transfer.id} and file_id <= ${fileId}
  `)

/** Puts a transfer off: it waits for something, or something went wrong that time may heal. */
export const postponeTransfer = (tx: Tx, transfer: Held, seconds: number, failures: number) =>
  tx.run(sql`
    update transfers t set due = now() + make_interval(secs => ${seconds}), failures = ${failures}
     where ${held(transfer)} and t.state in ('pending', 'started')
  `)

export type EndState = 'complete' | 'error'

/** Ends a transfer. Keys that were given for it alone are forgotten once they are of no more use. */
export const endTransfer = async (
  tx: Tx,
  transfer: Held,
  end: { readonly state: EndState; readonly error: string; readonly tidy: boolean },
): Promise<boolean> =>
  (await tx.run(sql`
    update transfers t
       set state = ${end.state}, error = ${end.error}, failures = 0, updated_at = now(),
           progress = case when ${end.state === 'complete'}::boolean then t.size else t.progress end,
           due = case when ${end.tidy}::boolean then now() end,
           authorization_sealed = case when ${end.state === 'complete'}::boolean then null else authorization_sealed end
     where ${held(transfer)} and t.state in ('pending', 'started')
  `)) === 1

/** There is nothing more to do for a transfer that has ended, and nothing to remember of its files. */
export const noteTidied = async (tx: Tx, transfer: Held): Promise<void> => {
  const tidied = await tx.run(sql`
    update transfers t set due = null where ${held(transfer)} and t.state in ('cancelled', 'error')
  `)
  if (tidied === 0) return
  await tx.run(sql`
    delete from transfer_files
     where team_id = ${transfer.team_id} and transfer_id = ${transfer.id} and upload_id is not null
  `)
}

/** Taking back what was begun elsewhere failed and is tried again, or given up. */
export const postponeTidying = (tx: Tx, transfer: Held, seconds: number | null, failures: number) =>
  tx.run(sql`
    update transfers t set due = now() + make_interval(secs => ${seconds}), failures = ${failures}
     where ${held(transfer)} and t.state in ('cancelled', 'error')
  `)

export interface TransferFileRow {
  readonly file_id: string
  readonly target_key: string
  /** Null once it has arrived. */
  readonly upload_id: string | null
}

export const rememberedFiles = (reads: Reads, transfer: Pick<Held, 'team_id' | 'id'>) =>
  reads.rows<TransferFileRow>(sql`
    select file_id, target_key, upload_id from transfer_files
     where team_id = ${transfer.team_id} and transfer_id = ${transfer.id}
  `)

/**
 * Remembers uploads that were begun, and files that have arrived ahead of others. Answers how many were noted: none when
 * the transfer is no longer ours.
 */
export const rememberFiles = (tx: Tx, transfer: Held, files: readonly TransferFileRow[]) =>
  tx.run(sql`
    insert into transfer_files (team_id, transfer_id, file_id, target_key, upload_id)
    select t.team_id, t.id, f.file_id, f.target_key, f.upload_id
      from transfers t,
           unnest(${files.map((file) => file.file_id)}::uuid[], ${files.map((file) => file.target_key)}::text[],
                  ${files.map((file) => file.upload_id)}::text[]) as f (file_id, target_key, upload_id)
     where ${held(transfer)} and t.state = 'started'
        on conflict (team_id, transfer_id, file_id) do update set upload_id = excluded.upload_id
  `)

/** Keys that were given for one transfer are not kept for long after it has ended badly. */
export const forgetOldTransferKeys = (tx: Tx, days: number) =>
  tx.run(sql`
    update transfers set authorization_sealed = null
     where authorization_sealed is not null and state in ('cancelled', 'error') and due is null
       and updated_at < now() - make_interval(days => ${days})
  `)
