import { setTimeout as sleep } from 'node:timers/promises'
import { newId } from '@longshore/kit/ids'
import { authorizeInTeam, type Member } from '#domain/access/authorize'
import type { Caller } from '#domain/access/caller'
import type { Cx } from '#domain/cx'
import { presentLink } from '#domain/links/present'
import { portalOfTeam } from '#domain/portals/enter-portal'
import { Refusal } from '#domain/refusal'
import { linksOfPackages } from '#store/links'
import type { PackageFilter } from '#store/package-filter'
import { packagesAfter } from '#store/package-pages'
import type { PackageRow } from '#store/packages'
import { endTurn, takeTurn } from '#store/whole-lists'
import { presentManagedPackage } from './present.ts'
import { type Scope, wantedPackages } from './wanted-packages.ts'

type Needs = Pick<Cx, 'db' | 'box' | 'tokens'>

export interface WantedStates {
  readonly expired?: boolean
  readonly finalized?: boolean
  readonly new?: boolean
  readonly archived?: boolean
}

/** All packages that a Team sent, newest first, as JSON text in pieces. */
export async function listAllTeamPackages(cx: Needs, caller: Caller, teamId: string, states: WantedStates) {
  const member = await authorizeInTeam(cx, caller, 'package.see', teamId)
  return whole(cx, member, { received: false }, states)
}

/** All packages of a Portal. */
export async function listAllPortalPackages(cx: Needs, caller: Caller, portalId: string, states: WantedStates) {
  const { member } = await portalOfTeam(cx, caller, 'portal.see', portalId)
  return whole(cx, member, { received: true, portalId }, states)
}

async function whole(
  cx: Needs,
  member: Member,
  scope: Scope,
  { expired = true, finalized = true, new: open = false, archived = false }: WantedStates,
): Promise<string | AsyncIterable<string>> {
  const wanted = { expired, finalized, new: open, archived }
  const status = (['expired', 'finalized', 'new', 'archived'] as const).filter((state) => wanted[state])
  const filter = status.length === 0 ? undefined : await wantedPackages(cx, member, scope, { status })
  if (filter === undefined) return '[]'
  const reader = newId()
  await waitForTurn(cx, member.teamId, reader)
  return pieces(cx, member, filter, reader)
}

// A turn is taken anew while the list is read. A reader that stopped reading, or died, frees it by the passing of time.
const turnSeconds = 30
const patienceMs = 5_000
const lookEveryMs = 200

/** One list of a Team at a time: it may have millions of records, and whoever reads them all at once has all day. */
async function waitForTurn(cx: Pick<Cx, 'db'>, teamId: string, reader: string): Promise<void> {
  const until = Date.now() + patienceMs
  while (!(await cx.db.transaction((tx) => takeTurn(tx, teamId, reader, turnSeconds)))) {
    if (Date.now() >= until) {
      throw new Refusal(
        'rate_limited',
        'Another list of all packages of this Team is being read. Try again, or use v1.1.',
        {
          retryAfterSeconds: turnSeconds,
        },
      )
    }
    await sleep(lookEveryMs)
  }
}

const batch = 100

async function* pieces(cx: Needs, member: Member, filter: PackageFilter, reader: string): AsyncGenerator<string> {
  try {
    let after: PackageRow | undefined
    let before = '['
    let takenAt = Date.now()
    while (true) {
      const packages = await packagesAfter(cx.db, filter, after, batch)
      if (packages.length > 0) {
        yield before + (await recordsOf(cx, member, packages)).join(',')
        before = ','
      }
      if (packages.length < batch) break
      after = packages.at(-1)
      if (Date.now() - takenAt > (turnSeconds * 1000) / 3) {
        await cx.db.transaction((tx) => takeTurn(tx, member.teamId, reader, turnSeconds))
        takenAt = Date.now()
      }
    }
    yield before === '[' ? '[]' : ']'
  } finally {
    await cx.db.transaction((tx) => endTurn(tx, member.teamId, reader))
  }
}

async function recordsOf(cx: Needs, member: Member, packages: readonly PackageRow[]): Promise<readonly string[]> {
  const ids = packages.map(({ id }) => id)
  const links = Map.groupBy(await linksOfPackages(cx.db, member.teamId, ids), (link) => link.package_id)
  return Promise.all(
    packages.map(async (pkg) =>
      JSON.stringify({
        ...(await presentManagedPackage(cx, pkg, member.userId)),
        links: (links.get(pkg.id) ?? []).map((link) => presentLink(link, pkg)),
      }),
    ),
  )
}
