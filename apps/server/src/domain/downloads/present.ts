import { showTime } from '#domain/times'
import { shownState } from '#domain/uploads/present'
import type { PackageFile } from '#store/files'

/** An entry of the file list. */
export const presentListedFile = (file: PackageFile) => ({
  id: file.id,
  kind: file.kind,
  name: file.name,
  path: file.path,
  ...(file.size === null ? {} : { size: file.size }),
  last_modified: showTime(file.last_modified),
  state: shownState(file),
  virus_detected: file.virus_detected,
  scan: file.scan,
  ...(file.kind === 'file' ? { integrity: integrityOf(file) } : {}),
})

/** Whether the stored bytes were read and are those that were sent. */
const integrityOf = (file: Pick<PackageFile, 'inspected_at' | 'damaged'>) =>
  file.inspected_at === null ? 'pending' : file.damaged ? 'damaged' : 'verified'
