import { statusOf } from '@longshore/contract/errors'
import { authorizeForPackage } from '#domain/access/authorize'
import { archiveUrl, expectReady } from '#domain/archives/archive-url'
import { archiveKindOf } from '#domain/archives/kinds'
import type { Caller, PackageCaller } from '#domain/access/caller'
import type { Cx } from '#domain/cx'
import { recordEvent } from '#domain/events/record-event'
import { linkExpiry } from '#domain/links/present'
import { accessTopic } from '#domain/realtime/announce'
import { invalid, Refusal } from '#domain/refusal'
import { readTime } from '#domain/times'
import { noSuchFile } from '#domain/uploads/open-file'
import type { PackageFile } from '#store/files'
import { noteHandedOut } from '#store/handed-out'
import { accessNoted, countAccess, noteAccess } from '#store/links'
import { countDownload, type HeldPackageRow } from '#store/packages'
import { filesNamed } from './package-files.ts'

const longestSeconds = 7 * 24 * 3600

type Needs = Pick<Cx, 'db' | 'blueprints' | 'settings' | 'archives' | 'tokens'>

/** The address of one file, for a while. The first that a read token asks for counts as one access of its link. */
export async function fileUrl(
  cx: Needs,
  caller: Caller,
  packageId: string,
  fileId: string,
  asked: { expiry?: string },
) {
  const { pkg, holder } = await openForDownload(cx, caller, packageId)
  const archive = archiveKindOf(packageId, fileId)
  if (archive !== undefined) {
    await expectReady(cx, pkg, archive)
    const expiresInSeconds = lifetime(cx, pkg, asked.expiry)
    await countOnce(cx, pkg, holder)
    return { method: 'GET' as const, url: await archiveUrl(cx, pkg, archive, holder, expiresInSeconds) }
  }
  const { file, refusal } = judge(packageId, fileId, await filesNamed(cx, pkg, [fileId]))
  if (file === undefined) throw refusal
  return { method: 'GET' as const, url: (await handOut(cx, pkg, holder, [file], asked.expiry))(file) }
}

/** The addresses of many files at once, each with its own result. Together they are one access of the link. */
export async function fileUrls(
  cx: Needs,
  caller: Caller,
  packageId: string,
  asked: { file_ids: readonly string[]; expiry?: string },
) {
  const { pkg, holder } = await openForDownload(cx, caller, packageId)
  const files = await filesNamed(cx, pkg, [...new Set(asked.file_ids)])
  const outcomes = asked.file_ids.map((fileId) => judge(packageId, fileId, files))
  const addressOf = await handOut(
    cx,
    pkg,
    holder,
    outcomes.flatMap(({ file }) => file ?? []),
    asked.expiry,
  )
  return {
    results: outcomes.map(({ fileId, file, refusal }) =>
      file !== undefined
        ? { file_id: fileId, status: 200, url: addressOf(file) }
        : { file_id: fileId, status: statusOf(refusal.code), error: refusal.code, message: refusal.message },
    ),
  }
}

async function openForDownload(cx: Needs, caller: Caller, packageId: string) {
  const { pkg, caller: holder } = await authorizeForPackage(cx, caller, 'file.download', packageId)
  if (pkg.state !== 'finalized') throw new Refusal('package_not_finalized')
  return { pkg, holder }
}

type StoredFile = PackageFile & { readonly object_key: string }

type Judged = { readonly fileId: string } & (
  | { readonly file: StoredFile; readonly refusal?: undefined }
  | { readonly file?: undefined; readonly refusal: Refusal }
)

function judge(packageId: string, fileId: string, files: ReadonlyMap<string, PackageFile>): Judged {
  const file = files.get(fileId)
  if (file === undefined || !isStored(file)) return { fileId, refusal: noSuchFile(packageId, fileId) }
  if (!file.virus_detected) return { fileId, file }
  const why = `A virus was found in '${file.name}'. It cannot be downloaded.`
  return { fileId, refusal: new Refusal('file_quarantined', why) }
}

const isStored = (file: PackageFile): file is StoredFile => file.object_key !== null

/** Counts what is handed out and answers how to make its addresses. */
async function handOut(
  cx: Needs,
  pkg: HeldPackageRow,
  holder: PackageCaller,
  files: readonly StoredFile[],
  expiry: string | undefined,
): Promise<(file: StoredFile) => string> {
  const expiresInSeconds = lifetime(cx, pkg, expiry)
  if (files.length > 0) await countOnce(cx, pkg, holder)
  const bytes = files.reduce((sum, { size }) => sum + (size ?? 0), 0)
  if (bytes > 0) await cx.db.transaction((tx) => noteHandedOut(tx, pkg.team_id, pkg.id, bytes))
  return (file) => cx.blueprints.download(file.object_key, { fileName: file.name, expiresInSeconds })
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
async function countOnce(cx: Pick<Cx, 'db'>, pkg: HeldPackageRow, { linkId, tokenId }: PackageCaller): Promise<void> {
  if (linkId === undefined) return
  if (await accessNoted(cx.db, linkId, tokenId)) return
  await cx.db.transaction(async (tx) => {
    if (!(await noteAccess(tx, pkg.team_id, linkId, tokenId))) return
    if (!(await countAccess(tx, linkId))) throw new Refusal('link_locked')
    // It may have been the last one that the link allows.
    tx.announce(accessTopic(pkg.id))
    const counted = await countDownload(tx, pkg.team_id, pkg.id)
    if (counted !== undefined) await recordEvent(tx, 'package.downloaded', counted)
  })
}
