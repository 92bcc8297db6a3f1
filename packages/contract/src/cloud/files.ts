import { Type } from 'typebox'
import { endpoint } from '#endpoint'
import { maxBatchFiles, maxChunkCount, maxChunkRequests, maxChunkSize, maxFileSize, MiB } from '#limits'
import { Bytes, Count, Id, Time, Word } from '#shapes'
import { ChunkSize, PackageParams } from './packages.ts'

export const Blueprint = Type.Object(
  {
    url: Type.String(),
    method: Word(['GET', 'POST', 'PUT', 'DELETE']),
    headers: Type.Record(Type.String(), Type.String()),
    body: Type.String(),
  },
  {
    description:
      'A request to storage, ready to be sent as it is. Valid for a while, 60 minutes unless the operator chose otherwise; asking again is free.',
  },
)

export const File = Type.Object({
  id: Id,
  package_id: Id,
  kind: Word(['file', 'directory']),
  name: Type.String(),
  path: Type.String({ description: 'Folder inside the package; empty for its root.' }),
  size: Type.Optional(Bytes),
  last_modified: Time,
  chunk_size: Bytes,
  state: Word(['new', 'uploading', 'finalized']),
  virus_detected: Type.Boolean(),
  scan: Word(['pending', 'clean', 'infected', 'not_scanned']),
  created_at: Time,
  updated_at: Time,
})

/** An entry of the file list: a file, a directory, or one of the two computed archives. */
export const ListedFile = Type.Object({
  id: Id,
  kind: Word(['file', 'directory', 'zip_windows', 'zip_mac']),
  name: Type.String(),
  path: Type.String(),
  size: Type.Optional(Bytes),
  last_modified: Time,
  state: Type.Optional(Word(['new', 'uploading', 'finalized'])),
  virus_detected: Type.Boolean(),
  scan: Type.Optional(Word(['pending', 'clean', 'infected', 'not_scanned'])),
  integrity: Type.Optional(
    Word(['pending', 'verified', 'damaged'], {
      description: 'Whether the stored bytes were read and are those that were sent.',
    }),
  ),
})

const NewFile = Type.Object({
  kind: Word(['file', 'directory']),
  name: Type.String({ maxLength: 255, description: 'Last component; at most 255 bytes.' }),
  path: Type.String({
    maxLength: 4_096,
    description: 'Folder inside the package, `/` between components, empty for the root.',
  }),
  last_modified: Time,
  size: Type.Optional(Type.Integer({ minimum: 0, maximum: maxFileSize })),
  chunk_size: Type.Optional(ChunkSize),
})

const chunkLimits = { min_chunk_size: Bytes, max_chunk_size: Bytes, max_chunk_count: Count }

export const AddedFile = Type.Object({
  create_blueprint: Type.Union([Blueprint, Type.Null()], {
    description: 'Opens the upload in storage; its reply names the UploadId. Null for a directory or a single PUT.',
  }),
  file: File,
  ...chunkLimits,
})

export const addFile = endpoint({
  chapter: 'Upload',
  summary: 'Add a file or directory',
  method: 'POST',
  path: '/v1/packages/:package_id/files',
  credential: 'package-token',
  levels: ['manage', 'write'],
  params: PackageParams,
  body: NewFile,
  status: 201,
  reply: AddedFile,
  idempotent: true,
  refusals: [
    'package_not_found',
    'package_not_new',
    'package_expired',
    'duplicate_path',
    'file_too_large',
    'package_too_large',
    'file_type_refused',
  ],
})

export const AddedFileOfBatch = Type.Object({
  ...AddedFile.properties,
  put_blueprint: Type.Union([Blueprint, Type.Null()], {
    description: 'Stores a file of at most one chunk in a single request, in place of the multipart upload.',
  }),
})

export const addFiles = endpoint({
  chapter: 'Upload',
  summary: 'Add many files and directories',
  description: 'All are added, or none. Files of at most one chunk get a ready `put_blueprint`.',
  method: 'POST',
  path: '/v1/packages/:package_id/files/batch',
  credential: 'package-token',
  levels: ['manage', 'write'],
  params: PackageParams,
  body: Type.Object({ files: Type.Array(NewFile, { minItems: 1, maxItems: maxBatchFiles }) }),
  bodyLimit: 6 * MiB,
  status: 201,
  reply: Type.Object({ files: Type.Array(AddedFileOfBatch) }),
  idempotent: true,
  refusals: [
    'package_not_found',
    'package_not_new',
    'package_expired',
    'duplicate_path',
    'file_too_large',
    'package_too_large',
    'file_type_refused',
  ],
})

export const FileParams = Type.Object({ package_id: Id, file_id: Id })

const UploadId = Type.String({ minLength: 1, maxLength: 1_024, pattern: '^[\\x21-\\x7e]+$' })

export const chunkRequests = endpoint({
  chapter: 'Upload',
  summary: 'Get requests for a range of chunks',
  description: 'Chunk index i is part number i + 1 in storage.',
  method: 'POST',
  path: '/v1/packages/:package_id/files/:file_id',
  credential: 'package-token',
  levels: ['manage', 'write'],
  params: FileParams,
  query: Type.Object({
    start: Type.Integer({ minimum: 0, maximum: maxChunkCount - 1 }),
    count: Type.Integer({ minimum: 1, maximum: maxChunkRequests }),
  }),
  body: Type.Object({ upload_id: UploadId }),
  status: 200,
  reply: Type.Array(Blueprint),
  refusals: [
    'package_not_found',
    'package_not_new',
    'package_expired',
    'file_not_found',
    'file_finalized',
    'file_not_chunked',
    'upload_mismatch',
  ],
})

const PartNumber = Type.Union([
  Type.String({ pattern: '^[1-9][0-9]{0,4}$', maxLength: 5 }),
  Type.Integer({ minimum: 1, maximum: maxChunkCount }),
])

const Etag = Type.String({ minLength: 1, maxLength: 130, pattern: '^"?[A-Za-z0-9+/=_.-]+"?$' })

const Checksums = Type.Object({
  sha256: Type.Optional(Type.String({ pattern: '^[0-9a-fA-F]{64}$', maxLength: 64 })),
  crc32: Type.Optional(Type.String({ pattern: '^[0-9a-fA-F]{8}$', maxLength: 8 })),
})

const ChunkExtras = Type.Array(Type.Object({ part_number: PartNumber, etag: Etag }), {
  minItems: 1,
  maxItems: maxChunkCount,
})

const FileExtras = Type.Object({ upload_id: UploadId })

const finishedSize = Type.Integer({ minimum: 0, maximum: maxFileSize })

export const finalizeFile = endpoint({
  chapter: 'Upload',
  summary: 'Finalize a file',
  description:
    'Checks the chunks against what storage holds and joins them. A repeat with the same content answers 204 again.',
  method: 'POST',
  path: '/v1/packages/:package_id/files/:file_id/finalize',
  credential: 'package-token',
  levels: ['manage', 'write'],
  params: FileParams,
  body: Type.Object({
    chunk_extras: ChunkExtras,
    file_extras: FileExtras,
    size: finishedSize,
    chunk_size: Type.Optional(Type.Integer({ minimum: 0, maximum: maxChunkSize })),
    checksums: Type.Optional(Checksums),
  }),
  bodyLimit: 3 * MiB,
  status: 204,
  refusals: [
    'package_not_found',
    'package_not_new',
    'package_expired',
    'file_not_found',
    'file_not_chunked',
    'upload_mismatch',
    'file_too_large',
    'package_too_large',
    'storage_refused',
    'storage_unavailable',
  ],
})

export const finalizeFiles = endpoint({
  chapter: 'Upload',
  summary: 'Finalize many files',
  description: 'Each file has its own result; one that fails does not hold back the others.',
  method: 'POST',
  path: '/v1/packages/:package_id/files/finalize',
  credential: 'package-token',
  levels: ['manage', 'write'],
  params: PackageParams,
  body: Type.Object({
    files: Type.Array(
      Type.Object({
        file_id: Id,
        size: finishedSize,
        etag: Type.Optional(Etag),
        chunk_extras: Type.Optional(ChunkExtras),
        file_extras: Type.Optional(FileExtras),
        checksums: Type.Optional(Checksums),
      }),
      { minItems: 1, maxItems: maxBatchFiles },
    ),
  }),
  bodyLimit: 8 * MiB,
  status: 200,
  reply: Type.Object({
    results: Type.Array(
      Type.Object({
        file_id: Id,
        status: Type.Integer({ description: '204, or the status its own call would have had.' }),
        error: Type.Optional(Type.String()),
        message: Type.Optional(Type.String()),
      }),
    ),
  }),
  refusals: ['package_not_found', 'package_not_new', 'package_expired', 'storage_unavailable'],
})

export const listChunks = endpoint({
  chapter: 'Upload',
  summary: 'What storage already has of a file',
  description: 'Asked from the store itself, so that any client can go on where another stopped.',
  method: 'GET',
  path: '/v1/packages/:package_id/files/:file_id/chunks',
  credential: 'package-token',
  levels: ['manage', 'write'],
  params: FileParams,
  status: 200,
  reply: Type.Object({
    upload_id: Type.String({ description: 'Empty before the first chunk call, and for a single PUT.' }),
    chunk_size: Bytes,
    chunks: Type.Array(Type.Object({ part_number: Count, etag: Type.String(), size: Bytes })),
  }),
  refusals: ['package_not_found', 'package_not_new', 'package_expired', 'file_not_found', 'storage_unavailable'],
})

export const removeFile = endpoint({
  chapter: 'Upload',
  summary: 'Remove a file from an open package',
  method: 'DELETE',
  path: '/v1/packages/:package_id/files/:file_id',
  credential: 'package-token',
  levels: ['manage', 'write'],
  params: FileParams,
  status: 204,
  refusals: ['package_not_found', 'package_not_new', 'package_expired', 'file_not_found'],
})

export const listFiles = endpoint({
  chapter: 'Download',
  summary: 'List the files of a package',
  method: 'GET',
  path: '/v1/packages/:package_id/files',
  credential: 'package-token',
  levels: ['manage', 'write', 'read'],
  params: PackageParams,
  status: 200,
  reply: Type.Array(ListedFile),
  refusals: ['package_not_found', 'package_expired'],
})

export const fileUrl = endpoint({
  chapter: 'Download',
  summary: 'Get the address of a file',
  description:
    'Valid for 15 minutes, or until `expiry` if given, but never past the expiry of link and package, nor 7 days. The first call with a read token counts as one access of its link. Archives are files too: they are computed while they are sent, and understand ranges.',
  method: 'GET',
  path: '/v1/packages/:package_id/files/:file_id/download',
  credential: 'package-token',
  levels: ['read'],
  params: FileParams,
  query: Type.Object({ expiry: Type.Optional(Time) }),
  status: 200,
  reply: Type.Object({ method: Type.Literal('GET'), url: Type.String() }),
  refusals: [
    'package_not_found',
    'package_not_finalized',
    'package_expired',
    'file_not_found',
    'file_quarantined',
    'archive_not_ready',
    'link_locked',
  ],
})

export const fileUrls = endpoint({
  chapter: 'Download',
  summary: 'Get the addresses of many files',
  description:
    'The same for up to 1,000 files in one call, for packages of many small ones. Each file has its own result; archives are asked for singly.',
  method: 'POST',
  path: '/v1/packages/:package_id/files/download',
  credential: 'package-token',
  levels: ['read'],
  params: PackageParams,
  body: Type.Object({
    file_ids: Type.Array(Id, { minItems: 1, maxItems: maxBatchFiles }),
    expiry: Type.Optional(Time),
  }),
  status: 200,
  reply: Type.Object({
    results: Type.Array(
      Type.Object({
        file_id: Id,
        status: Type.Integer({ description: '200, or the status its own call would have had.' }),
        url: Type.Optional(Type.String()),
        error: Type.Optional(Type.String()),
        message: Type.Optional(Type.String()),
      }),
    ),
  }),
  refusals: ['package_not_found', 'package_not_finalized', 'package_expired', 'link_locked'],
})

/** What was sent, file by file. Whoever has it, and the keys of the server, can check a folder against it offline. */
export const Waybill = Type.Object({
  version: Type.Literal(1),
  issuer: Type.String({ description: 'The server that signed it.' }),
  package: Type.Object({
    id: Id,
    name: Type.String(),
    sender: Type.String(),
    created_at: Time,
    finalized_at: Time,
    size: Bytes,
    total_files: Count,
  }),
  files: Type.Array(
    Type.Object({
      path: Type.String({ description: 'With the name, `/` between components.' }),
      size: Bytes,
      last_modified: Time,
      sha256: Type.Union([Type.String(), Type.Null()], {
        description: 'As the sender named it, otherwise as it was stored. Null until the file was read.',
      }),
      crc32: Type.Union([Type.String(), Type.Null()]),
      scan: Word(['pending', 'clean', 'infected', 'not_scanned']),
    }),
  ),
  verified: Type.Boolean({ description: 'Every stored file was read and is what was sent.' }),
  signature: Type.String({
    description: 'Compact JWS (EdDSA) of `{"waybill":"sha256:…"}`; its keys are at /v1/system/keys.',
  }),
})

export const waybill = endpoint({
  chapter: 'Download',
  summary: 'The signed manifest of a package',
  method: 'GET',
  path: '/v1/packages/:package_id/waybill',
  credential: 'package-token',
  levels: ['manage', 'write', 'read'],
  params: PackageParams,
  status: 200,
  reply: Waybill,
  refusals: ['package_not_found', 'package_not_finalized', 'package_expired'],
})
