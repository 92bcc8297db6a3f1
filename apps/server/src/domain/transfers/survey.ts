import { isLeftOut } from '#domain/archives/left-out'
import { packageFiles } from '#domain/downloads/package-files'
import type { Reads } from '#platform/db'
import type { PackageRow } from '#store/packages'
import type { Survey } from '#store/transfers'

/** Reads the file list once: how much there is to send, and how much of it has arrived. */
export async function surveyTransfer(
  cx: { readonly db: Reads },
  pkg: PackageRow,
  hasArrived: (fileId: string) => boolean,
): Promise<Survey> {
  let [size, progress, leftOut] = [0, 0, 0]
  for await (const { files } of packageFiles(cx, pkg)) {
    for (const file of files) {
      if (isLeftOut(file)) leftOut++
      else {
        size += file.size ?? 0
        if (hasArrived(file.id)) progress += file.size ?? 0
      }
    }
  }
  return { size, progress, leftOut }
}
