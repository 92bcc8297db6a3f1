import type { Client } from '@longshore/client/client'
import { listInbox, listPortalPackages, type Package } from '@longshore/contract/cloud/packages'
import { listPortals, lookUpPortal } from '@longshore/contract/cloud/portals'
import type { Static } from 'typebox'
import { ask, askAsUser } from './ask.ts'
import type { Session } from './session.ts'

export type ReceivedPackage = Static<typeof Package>

const onAPage = 50

interface Page {
  readonly metadata: { readonly total: number }
  readonly records: readonly ReceivedPackage[]
}

/** All finished packages that came since then, the oldest first, page by page. */
async function* finished(read: (page: number) => Promise<Page>): AsyncGenerator<ReceivedPackage> {
  for (let page = 1; ; page++) {
    const { metadata, records } = await read(page)
    for (const one of records) if (one.state === 'finalized') yield one
    if (page * onAPage >= metadata.total) return
  }
}

export const portalIdOf = async (client: Client, subdomain: string): Promise<string> =>
  (await ask((signal) => client.call(lookUpPortal, { params: { subdomain } }, { signal }))).id

export const packagesOfPortal = (client: Client, session: Session, portalId: string, since: string) =>
  finished((page) =>
    askAsUser((signal) =>
      client.call(
        listPortalPackages,
        { params: { portal_id: portalId }, query: { ...query(since), page } },
        { credential: session.credential(), signal },
      ),
    ),
  )

export const packagesOfTeam = (client: Client, session: Session, teamId: string, since: string) =>
  finished((page) =>
    askAsUser((signal) =>
      client.call(
        listInbox,
        { params: { team_id: teamId }, query: { ...query(since), page, status: ['finalized'] } },
        { credential: session.credential(), signal },
      ),
    ),
  )

const query = (since: string) => ({ created_at_start: since, sort: 'created_at', limit: onAPage })

/** The names of all Portals of a Team, by their ids. */
export async function portalNames(client: Client, session: Session, teamId: string): Promise<Map<string, string>> {
  const names = new Map<string, string>()
  for (let page = 1; ; page++) {
    const { metadata, records } = await askAsUser((signal) =>
      client.call(
        listPortals,
        { params: { team_id: teamId }, query: { page, limit: onAPage } },
        { credential: session.credential(), signal },
      ),
    )
    for (const { id, name } of records) names.set(id, name)
    if (page * onAPage >= metadata.total) return names
  }
}
