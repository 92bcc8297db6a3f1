import { LRUCache } from 'lru-cache'
import type { Reads } from '#platform/db'
import type { PackageRow } from '#store/packages'
import { type ArchiveKind, archiveKinds } from './kinds.ts'
import { keptPlan } from './kept-plans.ts'
import { type ArchivePlan, planArchive } from './plan.ts'
import { type Slots, slots } from './slots.ts'

/** What a process keeps of the archives that it serves. Nothing here is lost when it ends: all of it follows from rows. */
export interface Archives {
  /** The plan of an archive, laid out now or lately. */
  plan(cx: { readonly db: Reads }, pkg: PackageRow, kind: ArchiveKind): Promise<ArchivePlan>
  /** The same where it costs next to nothing, however many files there are. */
  planAtHand(cx: { readonly db: Reads }, pkg: PackageRow, kind: ArchiveKind): Promise<ArchivePlan | undefined>
  /** Forgets the plans of a package, because its files are not what they were. */
  forget(packageId: string): void
  readonly streams: Slots
}

// A package of a million ordinary files takes half a megabyte.
const mostMemory = 32 * 2 ** 20
// A virus found after finalizing changes an archive. Streams notice that at once; this is for those who only look.
const knownForMs = 60_000
// Checksums are being computed; the next look may find them.
const unreadForMs = 2_000

export function createArchives({ atOnce }: { readonly atOnce: number }): Archives {
  const plans = new LRUCache<string, ArchivePlan>({
    maxSize: mostMemory,
    sizeCalculation: ({ weight }) => weight,
    ttl: knownForMs,
  })
  const underWay = new Map<string, Promise<ArchivePlan>>()

  async function makePlan(
    key: string,
    cx: { readonly db: Reads },
    pkg: PackageRow,
    kind: ArchiveKind,
  ): Promise<ArchivePlan> {
    try {
      const plan = (await keptPlan(cx.db, pkg, kind)) ?? (await planArchive(cx, pkg, kind))
      plans.set(key, plan, plan.unread > 0 ? { ttl: unreadForMs } : {})
      return plan
    } finally {
      underWay.delete(key)
    }
  }

  return {
    async plan(cx, pkg, kind) {
      const key = `${pkg.id}/${kind}`
      const known = plans.get(key) ?? underWay.get(key)
      if (known !== undefined) return known
      const making = makePlan(key, cx, pkg, kind)
      underWay.set(key, making)
      return making
    },
    planAtHand: async ({ db }, pkg, kind) => plans.get(`${pkg.id}/${kind}`) ?? keptPlan(db, pkg, kind),
    forget(packageId) {
      for (const kind of archiveKinds) plans.delete(`${packageId}/${kind}`)
    },
    streams: slots(atOnce),
  }
}
