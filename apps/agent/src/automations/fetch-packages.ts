import { join } from 'node:path'
import { packagesOfPortal, packagesOfTeam, portalIdOf, portalNames, type ReceivedPackage } from '#cloud/portal-packages'
import { packageFolder } from '#host/safe-path'
import { fetchedThrough, saveFetchedThrough } from '#state/automations'
import { isMarked } from '#state/sendings'
import type { Automation } from './kinds.ts'
import type { Means, Round } from './round.ts'
import { beginNoted, beginSending } from './sending.ts'

const looksPerMinute = 4

type Fetching = Automation<'portal_download' | 'all_portals_download'>

/** Fetches each finished package that came since the effective time, once. */
export function fetchPackages(means: Means, automation: Fetching): Round {
  const { db } = means
  const fetchOne = (one: ReceivedPackage, folder: string) =>
    beginSending(
      means,
      { automation: automation.id, name: one.name, mark: one.id, print: '' },
      {
        kind: 'fetch',
        token: one.access_token ?? '',
        body: {
          dst_folder: folder,
          create_package_folder: automation.type === 'all_portals_download' || wantsFolder(automation.fields),
          priority: automation.fields.download_priority ?? 0,
        },
      },
    )

  return async (signal) => {
    await beginNoted(means, automation.id)
    const folderOf = foldersFor(means, automation)
    for await (const page of await pagesFor(means, automation)) {
      for (const one of page) {
        signal.throwIfAborted()
        if (one.state === 'finalized' && !isMarked(db, automation.id, one.id)) await fetchOne(one, await folderOf(one))
      }
      const last = page.at(-1)?.finalized_at ?? ''
      if (last > fetchedThrough(db, automation.id)) saveFetchedThrough(db, automation.id, last)
    }
    return means.minuteMs / looksPerMinute
  }
}

const wantsFolder = ({ create_package_folder = true }: { readonly create_package_folder?: boolean }) =>
  create_package_folder

async function pagesFor({ db, client, session, now, minuteMs }: Means, { id, type, fields }: Fetching) {
  const through = fetchedThrough(db, id)
  const since = {
    created: fields.effective_time ?? now().toISOString(),
    // A package has the time at which its finalizing began, and is seen once that has ended.
    finalized: through === '' ? '' : new Date(Date.parse(through) - minuteMs).toISOString(),
  }
  if (type === 'all_portals_download') return packagesOfTeam(client, session, fields.team_id, since)
  return packagesOfPortal(client, session, await portalIdOf(client, fields.portal_subdomain), since)
}

function foldersFor({ client, session }: Means, { type, fields }: Fetching) {
  const { dst_folder: folder } = fields
  let names: Promise<ReadonlyMap<string, string>> | undefined
  return async ({ portal_id: id }: ReceivedPackage): Promise<string> => {
    if (type === 'portal_download' || fields.create_portal_subfolder !== true) return folder
    names ??= portalNames(client, session, fields.team_id)
    return join(folder, packageFolder((await names).get(id) ?? id))
  }
}
