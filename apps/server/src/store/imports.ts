import { type Reads, sql, type Tx } from '#platform/db'
import type { FileRow } from './files.ts'
import { filesAt } from './places.ts'
import { type Held, held } from './transfers.ts'

/** An import as the one who took it names it. */
export interface HeldImport extends Held {
  readonly package_id: string
}

/** What an import wants, below its folder. Read by whoever needs it alone: it may be long. */
export const wantedPaths = async (reads: Reads, transfer: Pick<Held, 'team_id' | 'id'>): Promise<readonly string[]> =>
  (
    await reads.row<{ paths: readonly string[] }>(sql`
      select paths from transfers where team_id = ${transfer.team_id} and id = ${transfer.id} and paths is not null
    `)
  )?.paths ?? []

export interface Listed {
  readonly size: number
  readonly progress: number
  /** Whether all that is wanted is in the list. */
  readonly listed: boolean
}

/** Says how far an import is with listing, and keeps it for so much longer. False when it was cancelled or taken by another. */
export const noteListed = async (tx: Tx, transfer: Held, reached: Listed, leaseSeconds: number): Promise<boolean> =>
  (await tx.run(sql`
    update transfers t
       set state = 'started', size = ${reached.size}, progress = ${reached.progress}, listed = ${reached.listed},
           due = now() + make_interval(secs => ${leaseSeconds}), updated_at = now()
     where ${held(transfer)} and t.state in ('pending', 'started')
  `)) === 1

export interface Source {
  /** Of the file. */
  readonly id: string
  /** Of the object that the file is to be. */
  readonly etag: string
}

export const insertSources = (tx: Tx, transfer: Held, sources: readonly Source[]) =>
  tx.run(sql`
    insert into import_files (team_id, transfer_id, file_id, source_etag)
    select ${transfer.team_id}, ${transfer.id}, *
      from unnest(${sources.map((source) => source.id)}::uuid[],
                  ${sources.map((source) => source.etag)}::text[])
  `)

const filesOf = (transfer: HeldImport) => sql`
  import_files i
  join files f on f.team_id = i.team_id and f.package_id = ${transfer.package_id} and f.id = i.file_id`

const ofThis = (transfer: HeldImport) => sql`i.team_id = ${transfer.team_id} and i.transfer_id = ${transfer.id}`

/** Those of the places that have an entry which this import has brought. */
export const broughtTo = (reads: Reads, transfer: HeldImport, places: readonly { path: string; name: string }[]) =>
  reads.rows<{ path: string; name: string; size: number }>(sql`
    select f.path, f.name, f.size
      from ${filesAt(transfer.team_id, transfer.package_id, places)}
      join import_files i on ${ofThis(transfer)} and i.file_id = f.id
  `)

export const arrivedBytes = async (reads: Reads, transfer: HeldImport): Promise<number> =>
  (
    await reads.row<{ bytes: number }>(sql`
      select coalesce(sum(f.size), 0)::bigint as bytes from ${filesOf(transfer)}
       where ${ofThis(transfer)} and f.state = 'finalized'
    `)
  )?.bytes ?? 0

/** A file of a package that is to come from another store. */
export interface AwaitedFile extends Pick<FileRow, 'id' | 'path' | 'name' | 'chunk_size' | 'upload_id'> {
  readonly size: number
  readonly object_key: string
  readonly source_etag: string
}

/** One batch of what has not arrived, in the order of the list, behind the one given. */
export const awaitedFiles = (reads: Reads, transfer: HeldImport, afterId: string | undefined, limit: number) =>
  reads.rows<AwaitedFile>(sql`
    select f.id, f.path, f.name, f.size, f.chunk_size, f.object_key, f.upload_id, i.source_etag
      from ${filesOf(transfer)}
     where ${ofThis(transfer)} and f.state <> 'finalized'
       ${afterId === undefined ? sql`` : sql`and i.file_id > ${afterId}`}
     order by i.file_id
     limit ${limit}
  `)

/** Notes the upload that a file comes by, in place of one that is gone. False when nobody waits for the file any more. */
export const noteAwaitedUpload = async (
  tx: Tx,
  transfer: HeldImport,
  fileId: string,
  uploadId: string,
): Promise<boolean> =>
  (await tx.run(sql`
    update files f set upload_id = ${uploadId}, state = 'uploading', updated_at = now()
      from transfers t
     where f.team_id = ${transfer.team_id} and f.package_id = ${transfer.package_id} and f.id = ${fileId}
       and f.state <> 'finalized' and ${held(transfer)} and t.state = 'started'
  `)) === 1

/** Takes files that have not arrived out of the list. */
export const deleteAwaited = (tx: Tx, transfer: HeldImport, ids: readonly string[]) =>
  tx.run(sql`
    delete from files
     where team_id = ${transfer.team_id} and package_id = ${transfer.package_id} and id = any(${ids}::uuid[])
       and state <> 'finalized'
  `)

/** Forgets what files of an import are, or, without ids, all of them. */
export const forgetSources = (tx: Tx, transfer: Held, ids?: readonly string[]) =>
  tx.run(sql`
    delete from import_files
     where team_id = ${transfer.team_id} and transfer_id = ${transfer.id}
       ${ids === undefined ? sql`` : sql`and file_id = any(${ids}::uuid[])`}
  `)

/** Whether an import into a package is under way. */
export const isImporting = async (reads: Reads, teamId: string, packageId: string): Promise<boolean> =>
  (await reads.row(sql`
    select 1 from transfers t
     where t.team_id = ${teamId} and t.package_id = ${packageId} and t.direction = 'import'
       and t.state in ('pending', 'started')
     limit 1
  `)) !== undefined
