import { join } from 'node:path'
import { packagesOfPortal, packagesOfTeam, portalIdOf, portalNames, type ReceivedPackage } from '#cloud/portal-packages'
import { packageFolder } from '#host/safe-path'
import { sendingsOf } from '#state/sendings'
import type { Automation } from './kinds.ts'
import type { Means, Round } from './round.ts'
import { beginNoted, beginSending } from './sending.ts'

const looksPerMinute = 4

type Fetching = Automation<'portal_download' | 'all_portals_download'>

/** Fetches each finished package that came since the effective time, once. */
export function fetchPackages(means: Means, automation: Fetching): Round {
  const { db } = means
  return async (signal) => {
    await beginNoted(means, automation.id)
    const known = new Set(sendingsOf(db, automation.id).map(({ mark }) => mark))
    const folderOf = await foldersFor(means, automation)
    for await (const one of await packagesFor(means, automation)) {
      signal.throwIfAborted()
      if (known.has(one.id)) continue
      const sending = { automation: automation.id, name: one.name, mark: one.id, print: '' }
      await beginSending(means, sending, {
        kind: 'fetch',
        token: one.access_token ?? '',
        body: {
          dst_folder: folderOf(one),
          create_package_folder: automation.type === 'all_portals_download' || wantsFolder(automation.fields),
          priority: automation.fields.download_priority ?? 0,
        },
      })
    }
    return means.minuteMs / looksPerMinute
  }
}

const wantsFolder = ({ create_package_folder = true }: { readonly create_package_folder?: boolean }) =>
  create_package_folder

async function packagesFor({ client, session, now }: Means, { type, fields }: Fetching) {
  const since = fields.effective_time ?? now().toISOString()
  if (type === 'all_portals_download') return packagesOfTeam(client, session, fields.team_id, since)
  return packagesOfPortal(client, session, await portalIdOf(client, fields.portal_subdomain), since)
}

async function foldersFor({ client, session }: Means, { type, fields }: Fetching) {
  const { dst_folder: folder } = fields
  if (type === 'portal_download' || fields.create_portal_subfolder !== true) return () => folder
  const names = await portalNames(client, session, fields.team_id)
  return ({ portal_id: id }: ReceivedPackage) => join(folder, packageFolder(names.get(id) ?? id))
}
