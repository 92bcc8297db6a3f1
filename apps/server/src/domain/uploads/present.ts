import { maxChunkCount, maxChunkSize, minChunkSize } from '@longshore/contract/limits'
import type { Blueprint } from '#blob/port'
import { showTime } from '#domain/times'
import type { FileRow } from '#store/files'

/** Joining the parts is our affair: to the outside such a file is still uploading. */
export const shownState = (file: Pick<FileRow, 'state'>) => (file.state === 'completing' ? 'uploading' : file.state)

export const presentFile = (file: FileRow) => ({
  id: file.id,
  package_id: file.package_id,
  kind: file.kind,
  name: file.name,
  path: file.path,
  ...(file.size === null ? {} : { size: file.size }),
  last_modified: showTime(file.last_modified),
  chunk_size: file.chunk_size,
  state: shownState(file),
  virus_detected: file.virus_detected,
  scan: file.scan,
  created_at: showTime(file.created_at),
  updated_at: showTime(file.updated_at),
})

export const presentAddedFile = (file: FileRow, createBlueprint: Blueprint | null) => ({
  create_blueprint: createBlueprint,
  file: presentFile(file),
  min_chunk_size: minChunkSize,
  max_chunk_size: maxChunkSize,
  max_chunk_count: maxChunkCount,
})
