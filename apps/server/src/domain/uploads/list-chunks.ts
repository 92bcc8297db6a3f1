import type { Caller } from '#domain/access/caller'
import type { Cx } from '#domain/cx'
import type { StoredPart } from '#blob/port'
import type { FileRow } from '#store/files'
import { fileOf, openPackage } from './open-file.ts'

/** What storage has of a file, from the store itself, so that any client can go on where another stopped. */
export async function listChunks(cx: Pick<Cx, 'db' | 'blob'>, caller: Caller, packageId: string, fileId: string) {
  const pkg = await openPackage(cx, caller, packageId)
  const file = await fileOf(cx, pkg, fileId)
  const parts = await storedParts(cx, file)
  return {
    upload_id: file.upload_id ?? '',
    chunk_size: file.chunk_size,
    chunks: parts.map((part) => ({ part_number: part.partNumber, etag: part.etag, size: part.size })),
  }
}

async function storedParts(cx: Pick<Cx, 'blob'>, file: FileRow): Promise<readonly StoredPart[]> {
  if (file.object_key === null) return []
  if (file.single_put) {
    const object = await cx.blob.head(file.object_key)
    return object === undefined ? [] : [{ partNumber: 1, ...object }]
  }
  if (file.upload_id === null) return []
  return (await cx.blob.listParts(file.object_key, file.upload_id)) ?? []
}
