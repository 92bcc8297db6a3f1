import { lstat } from 'node:fs/promises'
import type { Clock, SourceFile } from '@longshore/transfer/ports'
import { sleep } from '@longshore/transfer/waits'
import { sourceCutShort, sourceFault, telling } from '#host/disk-faults'
import type { DiskSource } from '#host/open-file'

export interface Growing {
  readonly clock: Clock
  /** Told the size of the file as often as it is looked at. */
  readonly seen: (size: number) => void
  /** Without a change for so long, it is over. */
  readonly quietMs: number
  readonly lookEveryMs: number
  readonly plannedSize: number
}

/**
 * A file that somebody still writes to, by adding at its end. Bytes are there to stay once they are below the size that
 * an earlier look had found: what a writer has just added may not be on the disk yet, or not visible over a share.
 */
export function growingFile(file: SourceFile, local: string, growing: Growing): SourceFile {
  const { clock, seen, quietMs, lookEveryMs, plannedSize } = growing
  let last: { readonly size: number; readonly changedAt: bigint } | undefined
  let quietSince = clock.now()
  let lookedAt = quietSince

  const look = async () => {
    const stats = await telling(sourceFault, local, () => lstat(local, { bigint: true }))
    const size = Number(stats.size)
    const stable = last?.size ?? 0
    if (size < stable) throw sourceCutShort(local)
    if (size !== last?.size || stats.mtimeNs !== last.changedAt) quietSince = clock.now()
    last = { size, changedAt: stats.mtimeNs }
    lookedAt = clock.now()
    seen(size)
    return { stable, over: clock.now() - quietSince >= quietMs }
  }

  return {
    ...file,
    identity: lastingPart(file.identity),
    growth: {
      plannedSize,
      beyond: async (known, signal) => {
        while (true) {
          // However soon we are asked again: two looks at once would find the same, and prove nothing.
          if (last !== undefined) await sleep(clock, lookedAt + lookEveryMs - clock.now(), signal)
          const found = await look()
          if (found.over || found.stable > known) return found
        }
      },
    },
    open: async () => {
      const open = (await file.open()) as DiskSource
      // Begun anew, it may be shorter than it was.
      last = undefined
      return {
        ...open,
        identity: lastingPart(open.identity),
        look: async () => {
          const now = await open.look()
          return { ...now, identity: lastingPart(now.identity) }
        },
      } satisfies DiskSource
    },
  }
}

/** Device and inode; size and time of change are what growing is about. */
const lastingPart = (identity: string) => identity.split(':').slice(0, 2).join(':')
