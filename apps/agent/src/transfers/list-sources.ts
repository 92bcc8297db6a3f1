import { fullPath } from '@longshore/contract/names'
import { type Found, findSources } from '#host/sources'
import { findBelow } from '#host/sources-below'
import type { Database } from '#state/database'
import { addItem, type NewItem } from '#state/items'
import { addToTotals, markListed } from '#state/transfers'
import { isWithin } from './check-paths.ts'
import { skippedBecause } from './errors.ts'
import type { Means } from './means.ts'
import { type Matches, readPatterns } from './patterns.ts'
import type { UploadPlan } from './plans.ts'

/** A list of files that is being made while the first of them are sent already. */
export interface Listing {
  readonly isOver: () => boolean
  /** Resolves when there is more to see, or the list is whole. Throws what ended it early. */
  readonly more: () => Promise<void>
}

export const wholeList: Listing = { isOver: () => true, more: async () => {} }

// One commit for so many.
const together = 200

/**
 * Walks through the paths and writes down what is there. After a crash it walks anew: what is known by its place keeps
 * its number.
 */
export function listSources(
  { db, dataDir }: Pick<Means, 'db' | 'dataDir'>,
  transfer: number,
  { paths, leaveOut = [], collected }: Pick<UploadPlan, 'paths' | 'leaveOut' | 'collected'>,
  signal: AbortSignal,
): Listing {
  const isLeftOut = readPatterns(leaveOut)
  let over = false
  let failure: unknown
  let news = Promise.withResolvers<void>()
  const tell = () => {
    news.resolve()
    news = Promise.withResolvers()
  }

  const walk = async () => {
    let found: Found[] = []
    const sources = collected === undefined ? findSources(paths) : findBelow(collected.root, collected.below, paths)
    for await (const one of sources) {
      signal.throwIfAborted()
      found.push(withReason(one, isOurs(one, dataDir) ? 'Belongs to the agent itself.' : byPattern(one, isLeftOut)))
      if (found.length < together) continue
      keep(db, transfer, found)
      found = []
      tell()
    }
    db.transaction(() => {
      keepAll(db, transfer, found)
      markListed(db, transfer)
    })
  }

  walk()
    .catch((error: unknown) => {
      failure = error
    })
    .finally(() => {
      over = true
      tell()
    })

  return {
    isOver: () => over && failure === undefined,
    more: async () => {
      if (!over) await news.promise
      if (failure !== undefined) throw failure
    },
  }
}

/** Somebody who sends their whole home must not send the tokens of their agent along. */
const isOurs = (found: Found, dataDir: string) => found.kind === 'source' && isWithin(found.source.local, dataDir)

const byPattern = (found: Found, isLeftOut: Matches) =>
  found.kind === 'source' && isLeftOut(fullPath(found.source), found.source.kind)
    ? 'Left out by a pattern of the automation.'
    : undefined

const withReason = (found: Found, reason: string | undefined): Found => {
  if (found.kind === 'skipped' || reason === undefined) return found
  const { local, path, name } = found.source
  return { kind: 'skipped', skipped: { local, path, name, reason } }
}

const keep = (db: Database, transfer: number, found: readonly Found[]) =>
  db.transaction(() => keepAll(db, transfer, found))

function keepAll(db: Database, transfer: number, found: readonly Found[]): void {
  let files = 0
  let bytes = 0
  for (const one of found) {
    const item = itemOf(one)
    if (!addItem(db, transfer, item) || item.state === 'skipped' || item.kind === 'directory') continue
    files++
    bytes += item.size
  }
  addToTotals(db, transfer, files, bytes)
}

function itemOf(found: Found): NewItem {
  if (found.kind === 'skipped') {
    const { path, name, local, reason } = found.skipped
    return {
      ...nothingYet,
      kind: 'file',
      path,
      name,
      local,
      state: 'skipped',
      error: JSON.stringify(skippedBecause(reason)),
    }
  }
  const { kind, path, name, local, size, lastModified, identity } = found.source
  const bytes = kind === 'file' ? size : 0
  return { ...nothingYet, kind, path, name, local, size: bytes, last_modified: lastModified, identity }
}

const nothingYet = {
  size: 0,
  last_modified: '',
  identity: '',
  state: 'pending',
  error: null,
  file_id: '',
  sha256: null,
} as const
