import { type Reads, sql, type Tx } from '#platform/db'

export type FileState = 'new' | 'uploading' | 'completing' | 'finalized'

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
  readonly virus_detected: boolean
  readonly scan: 'pending' | 'clean' | 'infected' | 'not_scanned'
  readonly created_at: Date
  readonly updated_at: Date
}

const columns = sql`
  f.team_id, f.package_id, f.id, f.kind, f.path, f.name, f.size, f.last_modified, f.chunk_size, f.state, f.single_put,
  f.object_key, f.upload_id, f.expected_etag, f.content_digest, f.virus_detected, f.scan, f.created_at, f.updated_at`

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

/** Entries of a package that stand at one of these paths. */
export const entriesAt = (
  reads: Reads,
  teamId: string,
  packageId: string,
  places: readonly { path: string; name: string }[],
) =>
  reads.rows<{ path: string; name: string; kind: 'file' | 'directory' }>(sql`
    select f.path, f.name, f.kind
      from unnest(${places.map((place) => place.path)}::text[], ${places.map((place) => place.name)}::text[]) as at (path, name)
      join files f on f.team_id = ${teamId} and f.package_id = ${packageId}
                  and f.path = at.path collate "C" and f.name = at.name collate "C"
  `)

/** Those of the given full paths that have entries below them. */
export const foldersInUse = (reads: Reads, teamId: string, packageId: string, folders: readonly string[]) =>
  reads.rows<{ folder: string }>(sql`
    select folder
      from unnest(${folders}::text[]) as folder
     where exists (
       select 1 from files f
        where f.team_id = ${teamId} and f.package_id = ${packageId} and f.path = folder collate "C")
        or exists (
       select 1 from files f
        where f.team_id = ${teamId} and f.package_id = ${packageId}
          and f.path > (folder || '/') collate "C" and f.path < (folder || '0') collate "C")
  `)

export const fileById = (reads: Reads, teamId: string, packageId: string, id: string) =>
  reads.row<FileRow>(sql`
    select ${columns} from files f where f.team_id = ${teamId} and f.package_id = ${packageId} and f.id = ${id}
  `)

export const filesById = (reads: Reads, teamId: string, packageId: string, ids: readonly string[]) =>
  reads.rows<FileRow>(sql`
    select ${columns} from files f
     where f.team_id = ${teamId} and f.package_id = ${packageId} and f.id = any(${ids}::uuid[])
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
    returning f.id
  `)
  return new Set(closed.map((file) => file.id))
}

/** Takes a file out of its package and answers what must be removed from storage. */
export const deleteFileRow = (tx: Tx, teamId: string, packageId: string, id: string) =>
  tx.row<{ object_key: string | null; upload_id: string | null }>(sql`
    delete from files where team_id = ${teamId} and package_id = ${packageId} and id = ${id}
    returning object_key, upload_id
  `)

export const countFiles = async (reads: Reads, teamId: string, packageId: string) => {
  const counted = await reads.row<{ entries: number; unfinished: number }>(sql`
    select count(*)::integer as entries, (count(*) filter (where state <> 'finalized'))::integer as unfinished
      from files where team_id = ${teamId} and package_id = ${packageId}
  `)
  return counted ?? { entries: 0, unfinished: 0 }
}

/** One batch of a package's files in the order of their paths, behind the one given. */
export const filesAfter = (
  reads: Reads,
  teamId: string,
  packageId: string,
  after: { path: string; name: string } | undefined,
  limit: number,
) =>
  reads.rows<FileRow>(sql`
    select ${columns} from files f
     where f.team_id = ${teamId} and f.package_id = ${packageId}
       and (f.path, f.name) > (${after?.path ?? ''}::text collate "C", ${after?.name ?? ''}::text collate "C")
     order by f.path, f.name
     limit ${limit}
  `)

/** Deletes one batch of a package's file rows. Returns how many. */
export const deleteFileRows = (tx: Tx, teamId: string, packageId: string, ids: readonly string[]) =>
  tx.run(sql`
    delete from files where team_id = ${teamId} and package_id = ${packageId} and id = any(${ids}::uuid[])
  `)
