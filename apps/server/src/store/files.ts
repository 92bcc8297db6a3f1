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
  `)

/**
 * Names of files and folders in the root of a package that begin like this, in lower case: two that differ in case alone
 * clash on many disks.
 */
export const namesInRoot = async (
  reads: Reads,
  teamId: string,
  packageId: string,
  beginning: string,
): Promise<readonly string[]> =>
  (
    await reads.rows<{ name: string }>(sql`
      select distinct lower(case when path = '' then name else split_part(path, '/', 1) end) as name
        from files
       where team_id = ${teamId} and package_id = ${packageId}
         and (path = '' and starts_with(lower(name), ${beginning}) or starts_with(lower(path), ${beginning}))
    `)
  ).map((row) => row.name)

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

/** A file or directory with all that a download needs of it. */
export interface PackageFile {
  readonly id: string
  readonly kind: 'file' | 'directory'
  readonly path: string
  readonly name: string
  readonly size: number
  readonly last_modified: Date
  readonly object_key: string | null
  readonly crc32: number | null
  readonly virus_detected: boolean
}

/**
 * One batch of a package's files in the order of adding, behind the one given.
 *
 * As one text, because the driver takes much longer for rows and columns; tabs and line ends are in no name.
 */
export const packageFilesAfter = async (
  reads: Reads,
  teamId: string,
  packageId: string,
  after: string | undefined,
  limit: number,
): Promise<readonly PackageFile[]> => {
  const found = await reads.row<{ lines: string | null }>(sql`
    select string_agg(
             concat_ws(e'\\t', f.id, f.kind, f.path, f.name, coalesce(f.size, 0),
                       (date_part('epoch', f.last_modified) * 1000)::bigint, coalesce(f.object_key, ''),
                       coalesce(encode(f.crc32, 'hex'), ''), f.virus_detected),
             e'\\n' order by f.id) as lines
      from (select * from files
             where team_id = ${teamId} and package_id = ${packageId}
               and id > ${after ?? '00000000-0000-0000-0000-000000000000'}
             order by id
             limit ${limit}) f
  `)
  return found?.lines?.split('\n').map(packageFile) ?? []
}

function packageFile(line: string): PackageFile {
  const [id = '', kind, path = '', name = '', size, modified, key = '', crc32 = '', virus] = line.split('\t')
  return {
    id,
    kind: kind === 'directory' ? 'directory' : 'file',
    path,
    name,
    size: Number(size),
    last_modified: new Date(Number(modified)),
    object_key: key === '' ? null : key,
    crc32: crc32 === '' ? null : Number.parseInt(crc32, 16),
    virus_detected: virus === 't',
  }
}
