import type { PackageCaller } from '#domain/access/caller'
import type { Cx } from '#domain/cx'
import { Refusal } from '#domain/refusal'
import type { PackageRow } from '#store/packages'
import { type ArchiveKind, archiveId } from './kinds.ts'

/** Refuses an archive whose bytes are not certain yet. */
export async function expectReady(cx: Pick<Cx, 'db' | 'archives'>, pkg: PackageRow, kind: ArchiveKind): Promise<void> {
  const { unread } = await cx.archives.plan(cx, pkg, kind)
  if (unread > 0) throw notReady(unread)
}

export const notReady = (unread: number): Refusal =>
  new Refusal('archive_not_ready', `${unread} file(s) are still being checked. Try again in a moment.`, {
    retryAfterSeconds: 5,
  })

/** An address of our own for an archive, good for a while for whoever has it, like those of the store for files. */
export async function archiveUrl(
  cx: Pick<Cx, 'tokens' | 'settings'>,
  pkg: PackageRow,
  kind: ArchiveKind,
  holder: PackageCaller,
  expiresInSeconds: number,
): Promise<string> {
  const token = await cx.tokens.issueArchive(
    {
      teamId: pkg.team_id,
      packageId: pkg.id,
      kind,
      serial: pkg.token_serial,
      ...(holder.linkId === undefined ? {} : { linkId: holder.linkId }),
    },
    expiresInSeconds,
  )
  return `${cx.settings.publicUrl}/v1/archives/${pkg.id}/${archiveId(pkg.id, kind)}?token=${token}`
}
