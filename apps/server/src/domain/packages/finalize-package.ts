import { crashPoint } from '@longshore/kit/crash-point'
import { authorizeForPackage } from '#domain/access/authorize'
import type { Caller } from '#domain/access/caller'
import type { Cx } from '#domain/cx'
import { recordEvent } from '#domain/events/record-event'
import { newLink } from '#domain/links/new-link'
import { countFiles } from '#store/files'
import { insertLinks } from '#store/links'
import { closePackage, lockPackage } from '#store/packages'
import { packagePasswordContext } from './present.ts'
import { filesUnfinished, noSuchPackage, packageEmpty, packageNotNew } from './refusals.ts'

/**
 * Closes a package to further files and sets its announcements going.
 *
 * The new state, its event and the recipients' links commit together: a crash in between would leave a finalized
 * package that nobody ever hears about. A repeat finds the package finalized and has nothing left to do.
 */
export async function finalizePackage(cx: Pick<Cx, 'db' | 'box'>, caller: Caller, id: string): Promise<void> {
  const { pkg } = await authorizeForPackage(cx, caller, 'package.fill', id)
  await cx.db.transaction(async (tx) => {
    // Locked in a statement of its own: what comes after sees all that those before us committed. Whoever adds or
    // finalizes a file locks this same row, so none slips in behind the count.
    const locked = await lockPackage(tx, pkg.team_id, id)
    if (locked === undefined) throw noSuchPackage(id)
    if (locked.state === 'finalized') return
    if (locked.state !== 'new') throw packageNotNew(id, locked.state)
    const { entries, unfinished } = await countFiles(tx, pkg.team_id, id)
    if (unfinished > 0) throw filesUnfinished(id, unfinished)
    if (entries === 0) throw packageEmpty(id)

    const closed = await closePackage(tx, pkg.team_id, id)
    if (closed === undefined) throw new Error(`Package '${id}' changed its state under our lock.`)
    await recordEvent(tx, 'package.finalized', closed)
    if (closed.recipients.length > 0) {
      const password =
        closed.password_sealed === null ? '' : cx.box.open(packagePasswordContext(id), closed.password_sealed)
      const links = closed.recipients.map(
        (email) => newLink(cx, { email, password, accessLimit: closed.access_limit, expiry: null, active: true }).row,
      )
      await insertLinks(tx, pkg.team_id, id, links)
    }
  })
  crashPoint('finalize-package.committed')
}
