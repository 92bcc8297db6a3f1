import { setMaxListeners } from 'node:events'
import { type Archive, piecesOf } from '@longshore/zip/range'
import { packageExpired } from '#domain/access/authorize'
import type { Cx } from '#domain/cx'
import { fileBlock } from '#domain/downloads/package-files'
import { Refusal } from '#domain/refusal'
import type { ArchiveClaims } from '#domain/tokens/tokens'
import { deleteArchivePlansOf } from '#store/archive-plans'
import { type HeldPackageRow, heldPackage, type PackageRow } from '#store/packages'
import { notReady } from './archive-url.ts'
import { type Conditions, judgeConditions, type Verdict } from './conditions.ts'
import { archiveId, archiveName, platformOf } from './kinds.ts'
import { type ArchiveEntry, type ArchivePlan, digestOf, entriesOf } from './plan.ts'
import { bytesOfPieces } from './read-ahead.ts'

type Needs = Pick<Cx, 'db' | 'blob' | 'tokens' | 'archives'>

export interface OpenedArchive {
  readonly verdict: Verdict
  readonly etag: string
  readonly size: number
  readonly fileName: string
  /** The bytes that the verdict names. Reading them takes a slot; aborting the signal gives everything back. */
  bytes(signal: AbortSignal): Promise<AsyncIterable<Uint8Array>>
}

/** Opens an archive by its signed address. */
export async function openArchive(
  cx: Needs,
  address: { readonly packageId: string; readonly fileId: string; readonly token: string },
  conditions: Conditions,
): Promise<OpenedArchive> {
  const claims = await cx.tokens.verifyArchive(address.token)
  if (claims.packageId !== address.packageId || archiveId(claims.packageId, claims.kind) !== address.fileId) {
    throw new Refusal('credential_invalid')
  }
  const pkg = await packageFor(cx, claims)
  const plan = await cx.archives.plan(cx, pkg, claims.kind)
  if (plan.unread > 0) throw notReady(plan.unread)
  const { etag } = plan
  const { size } = plan.layout
  const verdict = judgeConditions({ etag, size }, conditions)
  return {
    verdict,
    etag,
    size,
    fileName: archiveName(pkg.name),
    async bytes(signal) {
      if (!('start' in verdict)) return none()
      const giveBack = await cx.archives.streams.take(signal)
      // Also for a reader who leaves before the first byte: then the generator below never runs, nor does its end.
      signal.addEventListener('abort', giveBack, { once: true })
      return archiveBytes(cx, pkg, plan, claims, verdict, { signal, giveBack })
    },
  }
}

async function* none(): AsyncGenerator<Uint8Array> {}

/** The package, if what the address was given for still holds: package, link and all that can end a token. */
async function packageFor(cx: Pick<Cx, 'db'>, claims: ArchiveClaims): Promise<HeldPackageRow> {
  // Its access was counted when the address was given, so it does not matter by which token.
  const pkg = await heldPackage(cx.db, { ...claims, tokenId: '' })
  if (pkg === undefined) throw new Refusal('package_not_found')
  if (pkg.token_serial !== claims.serial || !pkg.link_open) throw new Refusal('token_revoked')
  if (pkg.state !== 'finalized') throw packageExpired(pkg.id)
  return pkg
}

// Whoever deletes a package wants its bytes to stop flowing, also those of a download that takes hours.
const betweenLooksMs = 2_000

async function* archiveBytes(
  cx: Needs,
  pkg: PackageRow,
  plan: ArchivePlan,
  claims: ArchiveClaims,
  range: { readonly start: number; readonly end: number },
  { signal, giveBack }: { readonly signal: AbortSignal; giveBack(): void },
): AsyncGenerator<Uint8Array> {
  const ending = new AbortController()
  const stop = AbortSignal.any([signal, ending.signal])
  // Each read that is under way listens.
  setMaxListeners(100, stop)
  const watch = setInterval(() => {
    packageFor(cx, claims).catch((error: unknown) => {
      // A database that is away for a moment is no reason to end a download.
      if (error instanceof Refusal) ending.abort(error)
    })
  }, betweenLooksMs)
  try {
    yield* bytesOfPieces(cx, piecesOf(archiveOf(cx, pkg, plan), range.start, range.end), stop)
  } finally {
    clearInterval(watch)
    ending.abort(new Error('nobody reads any more'))
    giveBack()
  }
}

/** The archive as its blocks are read again. What is not as it was planned is not sent. */
function archiveOf(cx: Pick<Cx, 'db' | 'archives'>, pkg: PackageRow, plan: ArchivePlan): Archive<ArchiveEntry> {
  async function block(number: number): Promise<readonly ArchiveEntry[]> {
    const planned = plan.blocks[number]
    if (planned === undefined) return plan.note === undefined ? [] : [plan.note]
    const { files } = await fileBlock(cx, pkg, planned.at)
    const entries = entriesOf(plan, planned, files)
    if (digestOf(entries) === planned.digest) return entries
    cx.archives.forget(pkg.id)
    await cx.db.transaction((tx) => deleteArchivePlansOf(tx, [{ teamId: pkg.team_id, packageId: pkg.id }]))
    throw new Error(`The files of package '${pkg.id}' are not those that its archive was laid out for.`)
  }
  return { layout: plan.layout, platform: platformOf[plan.kind], block: readingAhead(plan.blocks.length, block) }
}

/** While a block is being sent, the next one is read. */
function readingAhead<Block>(count: number, read: (number: number) => Promise<Block>) {
  let ahead: { readonly number: number; readonly block: Promise<Block> } | undefined
  return async (number: number): Promise<Block> => {
    const block = ahead?.number === number ? ahead.block : read(number)
    const entries = await block
    ahead = number + 1 < count ? { number: number + 1, block: read(number + 1) } : undefined
    ahead?.block.catch(() => {})
    return entries
  }
}
