import { randomBytes } from 'node:crypto'
import { chunkRequests, finalizeFile } from '@longshore/contract/cloud/files'
import { chunkCount, MiB } from '@longshore/contract/limits'
import type { ApiLoad } from './api-load.ts'
import { forEach } from './lanes.ts'
import { addChunkedFile, type OpenPackage } from './open-package.ts'
import type { StoreLoad } from './store-load.ts'

export const chunksAtOnce = 4
// Chunk requests are asked for as an upload goes on, so many at a time.
const window = 8

/** What uploaded files are made of. The chunk size is a multiple of its length. */
export const piece = randomBytes(MiB)

/** Uploads one file in chunks, of one piece over and over. Answers its id. */
export async function uploadFile(
  api: ApiLoad,
  store: StoreLoad,
  pkg: OpenPackage,
  name: string,
  size: number,
  checksums?: { readonly crc32: string },
): Promise<string> {
  const file = await addChunkedFile(api, pkg, name, size)
  const uploadId = /<UploadId>([^<]+)/.exec((await store.send(file.create)).text)?.[1]
  if (uploadId === undefined) throw new Error('The store opened no upload.')

  const params = { package_id: pkg.id, file_id: file.id }
  const etags: string[] = []
  const chunks = chunkCount(size, file.chunkSize)
  for (let start = 0; start < chunks; start += window) {
    const wanted = { params, query: { start, count: window }, body: { upload_id: uploadId } }
    const requests = await api.call(chunkRequests, wanted, pkg.token)
    await forEach(requests, chunksAtOnce, async (request, index) => {
      const length = Math.min(file.chunkSize, size - (start + index) * file.chunkSize)
      etags[start + index] = await store.put(request, { piece, length })
    })
  }
  const claim = {
    size,
    chunk_extras: etags.map((etag, index) => ({ part_number: String(index + 1), etag })),
    file_extras: { upload_id: uploadId },
    ...(checksums === undefined ? {} : { checksums }),
  }
  await api.call(finalizeFile, { params, body: claim }, pkg.token)
  return file.id
}
