import * as wire from '@longshore/contract/cloud/files'
import { fileUrl, fileUrls } from '#domain/downloads/file-url'
import { listFiles } from '#domain/downloads/list-files'
import { waybill } from '#domain/downloads/waybill'
import { addFile, addFiles } from '#domain/uploads/add-files'
import { chunkRequests } from '#domain/uploads/chunk-requests'
import { finalizeFile, finalizeFiles } from '#domain/uploads/finalize-files'
import { listChunks } from '#domain/uploads/list-chunks'
import { removeFile } from '#domain/uploads/remove-file'
import { JsonText, route } from './route.ts'

export const fileRoutes = [
  route(wire.addFile, (cx, { caller, params, body, once }) => addFile(cx, caller, params.package_id, body, once)),
  route(wire.addFiles, (cx, { caller, params, body, once }) =>
    addFiles(cx, caller, params.package_id, body.files, once),
  ),
  route(wire.chunkRequests, async (cx, { caller, params, query, body }) => {
    const wanted = { ...query, uploadId: body.upload_id }
    return new JsonText(await chunkRequests(cx, caller, params.package_id, params.file_id, wanted))
  }),
  route(wire.finalizeFile, (cx, { caller, params, body }) =>
    finalizeFile(cx, caller, params.package_id, params.file_id, body),
  ),
  route(wire.finalizeFiles, (cx, { caller, params, body }) => finalizeFiles(cx, caller, params.package_id, body.files)),
  route(wire.listChunks, (cx, { caller, params }) => listChunks(cx, caller, params.package_id, params.file_id)),
  route(wire.removeFile, (cx, { caller, params }) => removeFile(cx, caller, params.package_id, params.file_id)),
  route(wire.listFiles, async (cx, { caller, params }) => new JsonText(await listFiles(cx, caller, params.package_id))),
  route(wire.fileUrl, (cx, { caller, params, query }) => fileUrl(cx, caller, params.package_id, params.file_id, query)),
  route(wire.fileUrls, (cx, { caller, params, body }) => fileUrls(cx, caller, params.package_id, body)),
  route(wire.waybill, async (cx, { caller, params }) => new JsonText(await waybill(cx, caller, params.package_id))),
]
