import { packageExpired } from '#domain/access/authorize'
import { Refusal } from '#domain/refusal'
import type { PackageState } from '#store/packages'

export const noSuchPackage = (id: string): Refusal =>
  new Refusal('package_not_found', `There is no package '${id}' for this token.`)

/** Why a package that is not `new` takes no more files. */
export const packageNotNew = (id: string, state: PackageState): Refusal =>
  state === 'finalized'
    ? new Refusal('package_not_new', `Package '${id}' is finalized. Create a new one to send more files.`)
    : packageExpired(id)

export const filesUnfinished = (id: string, count: number): Refusal =>
  new Refusal(
    'files_unfinished',
    `Package '${id}' has ${count} file(s) still uploading. Finalize each file first, or remove it.`,
  )

export const importUnfinished = (id: string): Refusal =>
  new Refusal(
    'files_unfinished',
    `Files are being imported into package '${id}'. Wait until that transfer has ended, or cancel it.`,
  )

export const packageEmpty = (id: string): Refusal =>
  new Refusal('package_empty', `Package '${id}' has no files yet. Add at least one file or directory.`)

export const packageNotExpired = (id: string, state: PackageState): Refusal =>
  new Refusal('package_not_expired', `Package '${id}' is ${state}. Only what has expired or was deleted is archived.`)
