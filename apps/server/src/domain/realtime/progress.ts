import { setTimeout as sleep } from 'node:timers/promises'
import type { PackageProgress } from '@longshore/contract/cloud/realtime'
import type { Log } from '@longshore/kit/log'
import type { Static } from 'typebox'
import { gate } from '#domain/at-once'
import type { Feed } from '#live/feed'
import type { Marks } from '#live/marks'
import type { Db } from '#platform/db'
import { type PackageProgressRow, packageProgress } from '#store/packages'
import { channelsOf, type PackageKey, type Place } from './announce.ts'

/** Tells those who follow a package how far it has come. */
export interface Progress {
  /** Something has come on: its files, or what its sender says of the bytes. Never waits and never fails. */
  note(key: PackageKey, uploadedBytes?: number): void
  /** How far it is at this moment. Undefined when there is no such package. */
  of(key: PackageKey): Promise<Static<typeof PackageProgress> | undefined>
  close(): void
}

interface Needs {
  readonly db: Db
  readonly feed: Feed
  readonly marks: Marks
  readonly log: Log
}

interface Noted extends PackageKey {
  uploadedBytes: number
  waiting: boolean
}

const atMostEveryMs = 1_000
// How soon to try again when another process has told something within the second.
const otherwiseMs = 300
// Counting the files of a very large package takes long; it may take this share of the time and no more.
const countingShare = 0.05
// Uploads report in the same moments. More at once would stand before everybody else's calls in line for the database.
const tellingAtOnce = 3

/**
 * What is noted costs nothing but a place in a map. It is told at once, and from then on at most once a second for a
 * package, by whichever process has the turn; what came meanwhile is told at the end of that second, so the last word is
 * always the newest. Nothing is counted for a package that nobody follows.
 */
export function createProgress({ db, feed, marks, log }: Needs): Progress {
  const noted = new Map<string, Noted>()
  const closing = new AbortController()
  const telling = gate(tellingAtOnce)

  const read = async (key: PackageKey, uploadedBytes: number) => {
    const row = await packageProgress(db, key.teamId, key.packageId)
    const mark = row?.state === 'new' ? await marks.raise(key.packageId, uploadedBytes) : 0
    return row === undefined ? undefined : { row, data: present(row, mark) }
  }

  /** Answers how long to wait before the next time. */
  const tell = async (one: Noted): Promise<number> => {
    const channels = channelsOf(one)
    if (!(await feed.isFollowed(channels))) {
      await marks.raise(one.packageId, one.uploadedBytes)
      return atMostEveryMs
    }
    if (!(await marks.turn(one.packageId, atMostEveryMs))) {
      one.waiting = true
      return otherwiseMs
    }
    const startedAt = performance.now()
    const now = await read(one, one.uploadedBytes)
    const took = performance.now() - startedAt
    if (now !== undefined) {
      const { portal_id: portalId, teamspace_id: teamspaceId } = now.row
      const about: Place = { teamId: one.teamId, packageId: one.packageId, portalId, teamspaceId }
      feed.publish(channels, { type: 'package.progress', data: JSON.stringify(now.data), about })
    }
    return Math.max(atMostEveryMs, took / countingShare)
  }

  const tellWhileNoted = async (one: Noted): Promise<void> => {
    while (one.waiting && !closing.signal.aborted) {
      one.waiting = false
      const pause = await telling(() => tell(one)).catch((err: unknown) => {
        log.warn({ err, package_id: one.packageId }, 'progress not told')
        return atMostEveryMs
      })
      await sleep(pause, undefined, { ref: false })
    }
    noted.delete(one.packageId)
  }

  return {
    note({ teamId, packageId }, uploadedBytes = 0) {
      const known = noted.get(packageId)
      if (known !== undefined) {
        known.uploadedBytes = Math.max(known.uploadedBytes, uploadedBytes)
        known.waiting = true
        return
      }
      const one = { teamId, packageId, uploadedBytes, waiting: true }
      noted.set(packageId, one)
      void tellWhileNoted(one)
    },
    of: async (key) => (await read(key, noted.get(key.packageId)?.uploadedBytes ?? 0))?.data,
    close: () => closing.abort(),
  }
}

/** What the sender says counts as far as it can be true: not below what is finalized, not above what was announced. */
function present(row: PackageProgressRow, mark: number): Static<typeof PackageProgress> {
  const { id: package_id, state, size, total_files, files_done } = row
  const most = row.sizes_known ? size : Number.MAX_SAFE_INTEGER
  return {
    package_id,
    state,
    uploaded_bytes: Math.min(Math.max(row.bytes_done, mark), most),
    size,
    files_done,
    total_files,
  }
}
