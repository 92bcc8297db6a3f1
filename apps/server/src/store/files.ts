import { type Reads, type Sql, sql, type Tx } from '#platform/db'
import type { PackageName } from '#store/packages'

export type FileState = 'new' | 'uploading' | 'completing' | 'finalized'

export type ScanState = 'pending' | 'clean' | 'infected' | 'not_scanned'

export interface FileRow {
  readonly team_id: string
  readonly package_id: string
  readonly id: string
  readonly kind: 'file' | 'directory'
  readonly path: string
  readonly name: string
  readonly size: number | null
  readonly last_modified: Date
  readonly chunk_size: number
  readonly state: FileState
  readonly single_put: boolean
  readonly object_key: string | null
  readonly upload_id: string | null
  readonly expected_etag: string | null
  readonly content_digest: Buffer | null
  /** In hex, like the next. */
  readonly sha256: string | null
  readonly crc32: string | null
  readonly virus_detected: boolean
  readonly scan: ScanState
  /** The store has other bytes than the sender named the checksums of. */
  readonly damaged: boolean
  readonly inspected_at: Date | null
  readonly created_at: Date
  readonly updated_at: Date
}

/** An entry of a package's file list: what is known of it for as long as the package lives. */
export type PackageFile = Pick<
  FileRow,
  | 'id'
  | 'kind'
  | 'path'
  | 'name'
  | 'size'
  | 'last_modified'
  | 'state'
  | 'object_key'
  | 'sha256'
  | 'crc32'
  | 'virus_detected'
  | 'scan'
  | 'damaged'
  | 'inspected_at'
>

const columns = sql`
  f.team_id, f.package_id, f.id, f.kind, f.path, f.name, f.size, f.last_modified, f.chunk_size, f.state, f.single_put,
  f.object_key, f.upload_id, f.expected_etag, f.content_digest,
  encode(f.sha256, 'hex') as sha256, encode(f.crc32, 'hex') as crc32, f.virus_detected, f.scan, f.damaged,
  f.inspected_at, f.created_at, f.updated_at`

export interface NewFile {
  readonly id: string
  readonly kind: 'file' | 'directory'
  readonly path: string
  readonly name: string
  readonly size: number | null
  readonly lastModified: Date
  readonly chunkSize: number
  readonly state: 'new' | 'finalized'
  readonly singlePut: boolean
  readonly objectKey: string | null
}

/** Adds files in the order given. An entry that is there already makes the whole statement fail. */
export const insertFiles = (tx: Tx, teamId: string, packageId: string, files: readonly NewFile[]) =>
  tx.rows<FileRow>(sql`
    insert into files as f (team_id, package_id, id, kind, path, name, size, last_modified, chunk_size, state,
                            single_put, object_key)
    select ${teamId}, ${packageId}, *
      from unnest(
        ${files.map((file) => file.id)}::uuid[], ${files.map((file) => file.kind)}::text[],
        ${files.map((file) => file.path)}::text[], ${files.map((file) => file.name)}::text[],
        ${files.map((file) => file.size)}::bigint[], ${files.map((file) => file.lastModified)}::timestamptz[],
        ${files.map((file) => file.chunkSize)}::bigint[], ${files.map((file) => file.state)}::text[],
        ${files.map((file) => file.singlePut)}::boolean[], ${files.map((file) => file.objectKey)}::text[])
    returning ${columns}
  `)

export const fileById = (reads: Reads, teamId: string, packageId: string, id: string) =>
  reads.row<FileRow>(sql`
    select ${columns} from files f where f.team_id = ${teamId} and f.package_id = ${packageId} and f.id = ${id}
  `)

/**
 * Files that were added together have ids that lie together. Says nothing that is not said already, but a database that
 * takes a package for a small one would otherwise read all of it to find a few.
 */
export const onlyThese = (files: readonly { readonly id: string }[]): Sql => {
  const ids = files.map(({ id }) => id).toSorted()
  return sql`f.id between ${ids.at(0)} and ${ids.at(-1)}`
}

export const filesById = (reads: Reads, teamId: string, packageId: string, ids: readonly string[]) =>
  reads.rows<FileRow>(sql`
    select ${columns} from files f join unnest(${ids}::uuid[]) as c (id) on c.id = f.id
     where f.team_id = ${teamId} and f.package_id = ${packageId}
       and ${onlyThese(ids.map((id) => ({ id })))}
  `)

/** Notes the upload that a file's chunks belong to. Returns false when another was noted before. */
export const noteUpload = async (
  tx: Tx,
  teamId: string,
  packageId: string,
  id: string,
  uploadId: string,
): Promise<boolean> =>
  (await tx.run(sql`
    update files
       set upload_id = ${uploadId}, state = case when state = 'new' then 'uploading' else state end, updated_at = now()
     where team_id = ${teamId} and package_id = ${packageId} and id = ${id}
       and (upload_id is null or upload_id = ${uploadId}) and state <> 'finalized'
  `)) === 1

export interface Completion {
  readonly id: string
  readonly uploadId: string | null
  readonly expectedEtag: string | null
  readonly size: number
  readonly contentDigest: Buffer
}

/** Writes down what the object will be, before the store is asked to make it. Answers the files it could be done for. */
export const markCompleting = async (
  tx: Tx,
  teamId: string,
  packageId: string,
  completions: readonly Completion[],
): Promise<ReadonlySet<string>> => {
  const marked = await tx.rows<{ id: string }>(sql`
    update files f
       set state = 'completing', upload_id = coalesce(c.upload_id, f.upload_id), expected_etag = c.expected_etag,
           size = c.size, content_digest = c.content_digest, updated_at = now()
      from unnest(${completions.map((c) => c.id)}::uuid[], ${completions.map((c) => c.uploadId)}::text[],
                  ${completions.map((c) => c.expectedEtag)}::text[], ${completions.map((c) => c.size)}::bigint[],
                  ${completions.map((c) => c.contentDigest)}::bytea[])
        as c (id, upload_id, expected_etag, size, content_digest)
     where f.team_id = ${teamId} and f.package_id = ${packageId} and f.id = c.id and f.state <> 'finalized'
       and ${onlyThese(completions)}
    returning f.id
  `)
  return new Set(marked.map((file) => file.id))
}

export interface FinishedFile {
  readonly id: string
  readonly size: number
  readonly contentDigest: Buffer
  readonly etag: string | null
  readonly sha256: Buffer | null
  readonly crc32: Buffer | null
}

/** Closes files whose objects are in place. Answers which were closed; one that was closed before is not among them. */
export const closeFiles = async (
  tx: Tx,
  teamId: string,
  packageId: string,
  files: readonly FinishedFile[],
): Promise<ReadonlySet<string>> => {
  const closed = await tx.rows<{ id: string }>(sql`
    update files f
       set state = 'finalized', size = c.size, content_digest = c.content_digest, expected_etag = c.etag,
           sha256 = c.sha256, crc32 = c.crc32, updated_at = now()
      from unnest(${files.map((c) => c.id)}::uuid[], ${files.map((c) => c.size)}::bigint[],
                  ${files.map((c) => c.contentDigest)}::bytea[], ${files.map((c) => c.etag)}::text[],
                  ${files.map((c) => c.sha256)}::bytea[], ${files.map((c) => c.crc32)}::bytea[])
        as c (id, size, content_digest, etag, sha256, crc32)
     where f.team_id = ${teamId} and f.package_id = ${packageId} and f.id = c.id and f.state <> 'finalized'
       and ${onlyThese(files)}
    returning f.id
  `)
  return new Set(closed.map((file) => file.id))
}

/** Corrects the sizes of files to what they really have, before they are closed. */
export const correctSizes = (
  tx: Tx,
  teamId: string,
  packageId: string,
  files: readonly { readonly id: string; readonly size: number }[],
) =>
  tx.run(sql`
    update files f set size = c.size, updated_at = now()
      from unnest(${files.map((c) => c.id)}::uuid[], ${files.map((c) => c.size)}::bigint[]) as c (id, size)
     where f.team_id = ${teamId} and f.package_id = ${packageId} and f.id = c.id and f.state <> 'finalized'
       and ${onlyThese(files)}
  `)

export interface OwnFile {
  readonly id: string
  readonly name: string
  readonly lastModified: Date
  readonly chunkSize: number
  readonly objectKey: string
  readonly size: number
  readonly contentDigest: Buffer
  readonly etag: string
  readonly sha256: Buffer
  readonly crc32: Buffer
}

/** Adds a file of our own to the root of a package; its object is in place already. */
export const insertOwnFile = (tx: Tx, teamId: string, packageId: string, file: OwnFile) =>
  tx.run(sql`
    insert into files (team_id, package_id, id, kind, path, name, size, last_modified, chunk_size, state, single_put,
                       object_key, expected_etag, content_digest, sha256, crc32)
    values (${teamId}, ${packageId}, ${file.id}, 'file', '', ${file.name}, ${file.size}, ${file.lastModified},
            ${file.chunkSize}, 'finalized', true, ${file.objectKey}, ${file.etag}, ${file.contentDigest},
            ${file.sha256}, ${file.crc32})
  `)

/** Takes a file out of its package and answers what must be removed from storage. */
export const deleteFileRow = (tx: Tx, teamId: string, packageId: string, id: string) =>
  tx.row<Pick<FileRow, 'object_key' | 'upload_id' | 'kind' | 'size'>>(sql`
    delete from files where team_id = ${teamId} and package_id = ${packageId} and id = ${id}
    returning object_key, upload_id, kind, size
  `)

export interface FileCounts {
  readonly entries: number
  readonly unfinished: number
  /** Entries that are no directories, their bytes, and the bytes of the largest. */
  readonly files: number
  readonly size: number
  readonly largest: number
}

export const countFiles = async (reads: Reads, teamId: string, packageId: string) => {
  const counted = await reads.row<FileCounts>(sql`
    select count(*)::integer as entries, (count(*) filter (where state <> 'finalized'))::integer as unfinished,
           (count(*) filter (where kind = 'file'))::integer as files, coalesce(sum(size), 0)::bigint as size,
           coalesce(max(size), 0) as largest
      from files where team_id = ${teamId} and package_id = ${packageId}
  `)
  return counted ?? { entries: 0, unfinished: 0, files: 0, size: 0, largest: 0 }
}

/** One batch of a package's live files in the order of their identifiers, behind the one given. */
export const filesAfter = (
  reads: Reads,
  teamId: string,
  packageId: string,
  afterId: string | undefined,
  limit: number,
) =>
  reads.rows<FileRow>(sql`
    select ${columns} from files f
     where f.team_id = ${teamId} and f.package_id = ${packageId} ${afterId === undefined ? sql`` : sql`and f.id > ${afterId}`}
     order by f.id
     limit ${limit}
  `)

export interface FrozenOrLive extends FileRow {
  /** A block of frozen entries. Then `id` is that of its last, and all else is null. */
  readonly frozen: Buffer | null
}

/**
 * What comes next in a package's file list: a frozen block, or live files where there is no further block. One
 * statement, so that files which are being frozen at this moment are seen in one place or the other.
 */
export const nextInList = (
  reads: Reads,
  teamId: string,
  packageId: string,
  afterId: string | undefined,
  limit: number,
) =>
  reads.rows<FrozenOrLive>(sql`
    with block as materialized (
      select b.last_id, b.data from frozen_files b
       where b.team_id = ${teamId} and b.package_id = ${packageId}
         ${afterId === undefined ? sql`` : sql`and b.first_id > ${afterId}`}
       order by b.first_id
       limit 1
    ), live as (
      select ${columns} from files f
       where f.team_id = ${teamId} and f.package_id = ${packageId} and not exists (select 1 from block)
         ${afterId === undefined ? sql`` : sql`and f.id > ${afterId}`}
       order by f.id
       limit ${limit}
    )
    select live.*, coalesce(live.id, block.last_id) as id, block.data as frozen
      from block full join live on false
     order by live.id
  `)

/** Deletes one batch of a package's file rows. Returns how many. */
export const deleteFileRows = (tx: Tx, teamId: string, packageId: string, ids: readonly string[]) =>
  tx.run(sql`
    delete from files where team_id = ${teamId} and package_id = ${packageId} and id = any(${ids}::uuid[])
  `)

const unnested = (packages: readonly PackageName[]) => sql`
  unnest(${packages.map((pkg) => pkg.teamId)}::uuid[], ${packages.map((pkg) => pkg.packageId)}::uuid[])
    as w (team_id, package_id)`

/** Uploads that files of these packages have begun, as far as we were told, and not finished. */
export const unfinishedUploads = (reads: Reads, packages: readonly PackageName[]) =>
  reads.rows<{ object_key: string; upload_id: string }>(sql`
    select f.object_key, f.upload_id
      from ${unnested(packages)} join files f on f.team_id = w.team_id and f.package_id = w.package_id
     where f.state <> 'finalized' and f.object_key is not null and f.upload_id is not null
  `)

/** Those of the packages whose files all went up in one request each: none of them can have begun an upload. */
export const sentWhole = async (reads: Reads, packages: readonly PackageName[]): Promise<ReadonlySet<string>> => {
  const rows = await reads.rows<{ package_id: string }>(sql`
    select w.package_id
      from ${unnested(packages)} join files f on f.team_id = w.team_id and f.package_id = w.package_id
     where f.kind = 'file'
     group by w.package_id having bool_and(f.single_put)
  `)
  return new Set(rows.map(({ package_id }) => package_id))
}

/** Forgets files of these packages, at most so many. Returns how many. */
export const deleteFilesOf = (tx: Tx, packages: readonly PackageName[], limit: number) =>
  tx.run(sql`
    delete from files f
     using (select f.team_id, f.package_id, f.id
              from ${unnested(packages)} join files f on f.team_id = w.team_id and f.package_id = w.package_id
             limit ${limit}) old
     where f.team_id = old.team_id and f.package_id = old.package_id and f.id = old.id
  `)
