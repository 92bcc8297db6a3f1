import { type Collected, collectDrop, filesOfInput } from './collect.ts'
import type { Upload, UploadView } from './upload.ts'

type Taking = Pick<Upload, 'addFiles' | 'addHandles'>

/**
 * Opens the browser's own dialog, where it lends handles: those can be opened again after a reload. False where it
 * cannot, and an input has to do.
 */
function pickInto(upload: Taking, what: 'files' | 'folder'): boolean {
  const { showOpenFilePicker: files, showDirectoryPicker: folder } = window
  if (files === undefined || folder === undefined) return false
  const picked = what === 'files' ? files({ multiple: true }) : folder({ mode: 'read' }).then((one) => [one])
  // Rejected where nothing was picked.
  void picked.then(upload.addHandles, () => undefined)
  return true
}

/** To be called in the handler of the event. */
function dropInto(upload: Taking, data: DataTransfer): void {
  void collectDrop(data).then(async ({ handles, files }: Collected) => {
    upload.addHandles(handles)
    await upload.addFiles(files)
  })
}

/** The ways by which files come into an upload, for a zone that takes them. */
export const waysInto = (upload: Taking) => ({
  dropped: (data: DataTransfer) => dropInto(upload, data),
  chosen: (files: readonly File[]) => void upload.addFiles(filesOfInput(files)),
  pick: (what: 'files' | 'folder') => pickInto(upload, what),
})

/** The same for files that an upload had and that the browser has lost its hold on. */
export const waysToMissing = (upload: Upload, view: UploadView) => ({
  ...waysInto(upload),
  missing: view.missing,
  areOthers: view.fault !== undefined && !view.looking,
  leaveOut:
    view.missing < view.files
      ? () => upload.leaveOut(view.entries.filter(({ state }) => state === 'missing').map(({ n }) => n))
      : undefined,
})
