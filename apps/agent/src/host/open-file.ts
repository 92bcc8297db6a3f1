import type { FileHandle } from 'node:fs/promises'
import type { OpenSource, PartFile } from '@longshore/transfer/ports'

/** What `send`, `receive` and `hasher` know of the files that the engine hands them. */
export interface OnDisk {
  readonly handle: FileHandle
  /** For people and messages; bytes go by the handle. */
  readonly local: string
  /** Which disk it is on, by the number that the system gave it. */
  readonly device: bigint
  /** Whoever reads by the number of the handle says here until when, so that it is not closed under them. */
  readonly readers: Set<Promise<unknown>>
}

export type DiskSource = OpenSource & OnDisk
export type DiskPart = PartFile & OnDisk

/** All files that the engine has were opened by this room, so each of them is one on the disk. */
export const onDisk = (file: OpenSource | PartFile): OnDisk => file as unknown as OnDisk

export async function closeAfterReaders({ handle, readers }: Pick<OnDisk, 'handle' | 'readers'>): Promise<void> {
  await Promise.all(readers)
  await handle.close()
}
