import {
  addFiles,
  chunkRequests,
  fileUrls,
  finalizeFiles,
  listChunks,
  listFiles,
  removeFile,
} from '@longshore/contract/cloud/files'
import { finalizePackage } from '@longshore/contract/cloud/packages'
import type { InputOf } from '@longshore/contract/endpoint'
import type { CallOptions, Client } from '#client'

type NewFiles = InputOf<typeof addFiles>['body']['files']
type Claims = InputOf<typeof finalizeFiles>['body']['files']

/**
 * The calls for one package that the transfer engine is lent, with the package's own token. A transfer that takes longer
 * than a token is valid gives a function, which is asked for each call.
 */
export function packageCalls({ call }: Client, packageId: string, token: string | (() => string)) {
  const params = { package_id: packageId }
  const packageToken = () => (typeof token === 'string' ? token : token())
  const by = (signal: AbortSignal): CallOptions => ({ credential: { packageToken: packageToken() }, signal })
  return {
    addFiles: async (files: Readonly<NewFiles>, idempotencyKey: string, signal: AbortSignal) => {
      const body = { files: [...files] }
      return (await call(addFiles, { params, body }, { ...by(signal), idempotencyKey })).files
    },
    chunkRequests: (
      fileId: string,
      { uploadId, start, count }: { readonly uploadId: string; readonly start: number; readonly count: number },
      signal: AbortSignal,
    ) =>
      call(
        chunkRequests,
        { params: { ...params, file_id: fileId }, query: { start, count }, body: { upload_id: uploadId } },
        by(signal),
      ),
    finalizeFiles: async (claims: Readonly<Claims>, signal: AbortSignal) =>
      (await call(finalizeFiles, { params, body: { files: [...claims] } }, by(signal))).results,
    listChunks: (fileId: string, signal: AbortSignal) =>
      call(listChunks, { params: { ...params, file_id: fileId } }, by(signal)),
    removeFile: async (fileId: string, signal: AbortSignal) => {
      await call(removeFile, { params: { ...params, file_id: fileId } }, by(signal))
    },
    listFiles: (signal: AbortSignal) => call(listFiles, { params }, by(signal)),
    finalizePackage: async (signal: AbortSignal) => {
      await call(finalizePackage, { params }, by(signal))
    },
    fileUrls: async (fileIds: readonly string[], signal: AbortSignal) =>
      (await call(fileUrls, { params, body: { file_ids: [...fileIds] } }, by(signal))).results,
  }
}
