import { authorizeForPackage } from '#domain/access/authorize'
import { archiveUrl, expectReady } from '#domain/archives/archive-url'
import { archiveKindOf } from '#domain/archives/kinds'
import type { Caller } from '#domain/access/caller'
import type { Cx } from '#domain/cx'
import { recordEvent } from '#domain/events/record-event'
import { linkExpiry } from '#domain/links/present'
import { accessTopic } from '#domain/realtime/announce'
import { invalid, Refusal } from '#domain/refusal'
import { readTime } from '#domain/times'
import { noSuchFile } from '#domain/uploads/open-file'
import { noteHandedOut } from '#store/handed-out'
import { accessNoted, countAccess, noteAccess } from '#store/links'
import { countDownload, type HeldPackageRow } from '#store/packages'
import { markDownload } from '#store/usage'
import { packageFile } from './package-files.ts'

const longestSeconds = 7 * 24 * 3600

/** The address of one file, for a while. The first that a read token asks for counts as one access of its link. */
export async function fileUrl(
  cx: Pick<Cx, 'db' | 'blueprints' | 'settings' | 'archives' | 'tokens'>,
  caller: Caller,
  packageId: string,
  fileId: string,
  asked: { expiry?: string },
) {
  const { pkg, caller: holder } = await authorizeForPackage(cx, caller, 'file.download', packageId)
  if (pkg.state !== 'finalized') throw new Refusal('package_not_finalized')
  const archive = archiveKindOf(packageId, fileId)
  if (archive !== undefined) {
    await expectReady(cx, pkg, archive)
    const expiresInSeconds = lifetime(cx, pkg, asked.expiry)
    if (holder.linkId !== undefined) await countOnce(cx, pkg, holder.linkId, holder.tokenId)
    return { method: 'GET' as const, url: await archiveUrl(cx, pkg, archive, holder, expiresInSeconds) }
  }
  const file = await packageFile(cx, pkg, fileId)
  if (file === undefined || file.object_key === null) throw noSuchFile(packageId, fileId)
  if (file.virus_detected)
    throw new Refusal('file_quarantined', `A virus was found in '${file.name}'. It cannot be downloaded.`)
  const expiresInSeconds = lifetime(cx, pkg, asked.expiry)
  if (holder.linkId !== undefined) await countOnce(cx, pkg, holder.linkId, holder.tokenId)
  const { size } = file
  if (size !== null && size > 0) await cx.db.transaction((tx) => noteHandedOut(tx, pkg.team_id, packageId, size))
  return {
    method: 'GET' as const,
    url: cx.blueprints.download(file.object_key, { fileName: file.name, expiresInSeconds }),
  }
}

function lifetime(cx: Pick<Cx, 'settings'>, pkg: HeldPackageRow, expiry: string | undefined): number {
  const now = Date.now()
  let until = now + cx.settings.downloadUrlSeconds * 1000
  if (expiry !== undefined) {
    const asked = readTime('expiry', expiry)
    if (asked === null || asked.getTime() <= now) throw invalid('expiry', 'must be in the future')
    until = asked.getTime()
  }
  const end = linkExpiry({ expiry: pkg.link_expiry }, pkg)
  const seconds = Math.floor((Math.min(until, end?.getTime() ?? until, now + longestSeconds * 1000) - now) / 1000)
  return Math.max(1, seconds)
}

/** Counting and the note of it are one transaction: of any number of first calls at once, only as many pass as may. */
async function countOnce(cx: Pick<Cx, 'db'>, pkg: HeldPackageRow, linkId: string, tokenId: string): Promise<void> {
  if (await accessNoted(cx.db, linkId, tokenId)) return
  await cx.db.transaction(async (tx) => {
    if (!(await noteAccess(tx, pkg.team_id, linkId, tokenId))) return
    if (!(await countAccess(tx, linkId))) throw new Refusal('link_locked')
    // It may have been the last one that the link allows.
    tx.announce(accessTopic(pkg.id))
    const counted = await countDownload(tx, pkg.team_id, pkg.id)
    if (counted === undefined) return
    await recordEvent(tx, 'package.downloaded', counted)
    await markDownload(tx, pkg.team_id)
  })
}
