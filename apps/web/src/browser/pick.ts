import { type Collected, collectDrop, filesOfInput } from './collect.ts'
import type { Upload } from './upload.ts'

type Taking = Pick<Upload, 'addFiles' | 'addHandles'>

/**
 * Opens the browser's own dialog, where it lends handles: those can be opened again after a reload. False where it
 * cannot, and an input has to do.
 */
export function pickInto(upload: Taking, what: 'files' | 'folder'): boolean {
  const { showOpenFilePicker: files, showDirectoryPicker: folder } = window
  if (files === undefined || folder === undefined) return false
  const picked = what === 'files' ? files({ multiple: true }) : folder({ mode: 'read' }).then((one) => [one])
  // Rejected where nothing was picked.
  void picked.then(upload.addHandles, () => undefined)
  return true
}

/** To be called in the handler of the event. */
export function dropInto(upload: Taking, data: DataTransfer): void {
  void collectDrop(data).then(async ({ handles, files }: Collected) => {
    upload.addHandles(handles)
    await upload.addFiles(files)
  })
}

export const chooseInto = (upload: Taking, files: readonly File[]): void => void upload.addFiles(filesOfInput(files))
