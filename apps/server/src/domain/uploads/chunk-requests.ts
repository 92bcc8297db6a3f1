import { chunkCount, maxChunkCount } from '@longshore/contract/limits'
import type { Caller } from '#domain/access/caller'
import type { Cx } from '#domain/cx'
import { invalid, Refusal } from '#domain/refusal'
import { noteUpload } from '#store/files'
import { fileOf, notChunked, openPackage, uploadMismatch } from './open-file.ts'

/**
 * Signed requests for a run of chunks, as JSON text. The upload that the first call names is the file's from then on:
 * chunks of two uploads can never be joined.
 */
export async function chunkRequests(
  cx: Pick<Cx, 'db' | 'blueprints'>,
  caller: Caller,
  packageId: string,
  fileId: string,
  wanted: { start: number; count: number; uploadId: string },
): Promise<string> {
  const pkg = await openPackage(cx, caller, packageId)
  const file = await fileOf(cx, pkg, fileId)
  if (file.object_key === null || file.single_put) throw notChunked(file)
  if (file.state === 'finalized') throw new Refusal('file_finalized', `'${file.name}' is finished already.`)

  const chunks = file.size === null ? maxChunkCount : chunkCount(file.size, file.chunk_size)
  if (wanted.start >= chunks) throw invalid('start', `must be below ${chunks}, the number of chunks of this file`)
  if (wanted.start + wanted.count > maxChunkCount) {
    throw invalid('count', `must not reach beyond chunk ${maxChunkCount}`)
  }

  if (file.upload_id !== wanted.uploadId) {
    const noted =
      file.upload_id === null &&
      (await cx.db.transaction((tx) => noteUpload(tx, pkg.team_id, packageId, fileId, wanted.uploadId)))
    if (!noted) throw uploadMismatch(file, 'its chunks belong to another upload_id. Go on with that one.')
  }
  return cx.blueprints.partsJson(
    { key: file.object_key, uploadId: wanted.uploadId, chunkSize: file.chunk_size, size: file.size ?? undefined },
    wanted.start,
    wanted.count,
  )
}
