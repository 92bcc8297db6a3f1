import { zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import type { FileRow } from '#store/files'

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

/** As it is written; what can be left out is. */
interface FrozenEntry {
  readonly id: string
  readonly dir?: 1
  readonly path: string
  readonly name: string
  readonly size: number
  readonly modified: number
  readonly inspected: number
  readonly key?: string
  readonly sha256?: string
  readonly crc32?: string
  readonly scan: FileRow['scan']
  readonly damaged?: 1
}

export function freezeBlock(files: readonly PackageFile[]): Buffer {
  const entries = files.map(
    (file): FrozenEntry => ({
      id: file.id,
      ...(file.kind === 'directory' ? { dir: 1 } : {}),
      path: file.path,
      name: file.name,
      size: file.size ?? 0,
      modified: file.last_modified.getTime(),
      inspected: file.inspected_at?.getTime() ?? 0,
      ...(file.object_key === null ? {} : { key: file.object_key }),
      ...(file.sha256 === null ? {} : { sha256: file.sha256.toString('base64') }),
      ...(file.crc32 === null ? {} : { crc32: file.crc32.toString('hex') }),
      scan: file.scan,
      ...(file.damaged ? { damaged: 1 } : {}),
    }),
  )
  return zstdCompressSync(JSON.stringify(entries))
}

export const thawBlock = (data: Buffer): readonly PackageFile[] =>
  (JSON.parse(zstdDecompressSync(data).toString()) as FrozenEntry[]).map((entry) => ({
    id: entry.id,
    kind: entry.dir === 1 ? 'directory' : 'file',
    path: entry.path,
    name: entry.name,
    size: entry.dir === 1 ? null : entry.size,
    last_modified: new Date(entry.modified),
    state: 'finalized',
    object_key: entry.key ?? null,
    sha256: entry.sha256 === undefined ? null : Buffer.from(entry.sha256, 'base64'),
    crc32: entry.crc32 === undefined ? null : Buffer.from(entry.crc32, 'hex'),
    virus_detected: entry.scan === 'infected',
    scan: entry.scan,
    damaged: entry.damaged === 1,
    inspected_at: entry.inspected === 0 ? null : new Date(entry.inspected),
  }))
