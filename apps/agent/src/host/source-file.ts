import { type BigIntStats, constants, fstatSync, readlinkSync } from 'node:fs'
import { type FileHandle, lstat, open, realpath } from 'node:fs/promises'
import type { Look, SourceFile } from '@longshore/transfer/ports'
import { sourceFault, sourceReplaced, telling } from '#host/disk-faults'
import { closeAfterReaders, type DiskSource } from '#host/open-file'

/** A file or folder that is to be sent, as it was when it was found. All of it is data and can be written down. */
export interface FoundSource extends Look {
  readonly kind: 'file' | 'directory'
  readonly name: string
  readonly path: string
  /** Where it really is on this machine: no part of it is a link. */
  readonly local: string
}

export function lookOf({ dev, ino, size, mtimeNs }: BigIntStats): Look {
  return {
    size: Number(size),
    lastModified: new Date(Number(mtimeNs / 1_000_000n)).toISOString(),
    identity: `${dev}:${ino}:${size}:${mtimeNs}`,
  }
}

/** What the engine is given of it. `n` is its number in the transfer, the same in every run. */
export function sourceFile(n: number, found: FoundSource, chunkSize?: number): SourceFile {
  const { local, ...entry } = found
  return { n, ...entry, ...(chunkSize === undefined ? {} : { chunkSize }), open: () => openSource(local) }
}

// A pipe that was put in the file's place would never open; a link would lead elsewhere.
const reading = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK

async function openSource(local: string): Promise<DiskSource> {
  const handle = await telling(sourceFault, local, () => open(local, reading))
  try {
    // What the system knows of a file that was just opened is in its memory: asking costs less than asking aside.
    const stats = fstatSync(handle.fd, { bigint: true })
    if (!stats.isFile() || !(await isStillThere(handle, local))) throw sourceReplaced(local)
    const readers = new Set<Promise<unknown>>()
    return {
      handle,
      local,
      device: stats.dev,
      readers,
      ...lookOf(stats),
      look: () => telling(sourceFault, local, async () => lookOf(await lstat(local, { bigint: true }))),
      close: () => closeAfterReaders({ handle, readers }),
    }
  } catch (error) {
    await handle.close()
    throw sourceFault(error, local)
  }
}

/** Whether no folder on the way has become a link since the file was found. */
async function isStillThere({ fd }: FileHandle, local: string): Promise<boolean> {
  return (openedAt(fd) ?? (await realpath(local))) === local
}

/** One look instead of one for each folder, and at the very file that was opened. */
function openedAt(fd: number): string | undefined {
  if (process.platform !== 'linux') return undefined
  try {
    return readlinkSync(`/proc/self/fd/${fd}`)
  } catch {
    return undefined
  }
}
