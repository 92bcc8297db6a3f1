import { derivedId } from '@longshore/kit/ids'
import type { Platform } from '@longshore/zip/entry'
import { plainNames } from '@longshore/zip/names'

/** The two archives of a package. They are computed, never stored, so they have no rows: their ids follow from its id. */
export const archiveKinds = ['zip_windows', 'zip_mac'] as const
export type ArchiveKind = (typeof archiveKinds)[number]

export const platformOf: Readonly<Record<ArchiveKind, Platform>> = { zip_windows: 'windows', zip_mac: 'mac' }

export const archiveId = (packageId: string, kind: ArchiveKind): string => derivedId(packageId, kind)

export const archiveKindOf = (packageId: string, fileId: string): ArchiveKind | undefined =>
  archiveKinds.find((kind) => archiveId(packageId, kind) === fileId.toLowerCase())

const cleanName = plainNames('windows')

/** What the archive is called when it is saved; a name that every system takes. */
export const archiveName = (packageName: string): string =>
  `${cleanName({ path: '', name: packageName, kind: 'file' })}.zip`
