import type { Client } from '@longshore/client/client'
import { listInbox, listPortalPackages, type Package } from '@longshore/contract/cloud/packages'
import { listPortals, lookUpPortal } from '@longshore/contract/cloud/portals'
import { zeroTime } from '@longshore/contract/limits'
import type { Static } from 'typebox'
import { ask, askAsUser } from './ask.ts'
import type { Session } from './session.ts'

export type ReceivedPackage = Static<typeof Package>

const onAPage = 50

interface Page {
  readonly records: readonly ReceivedPackage[]
}

/** Which packages are wanted, by the clock of the cloud. */
export interface Since {
  readonly created: string
  /** Empty for all of them. */
  readonly finalized: string
}

interface PageQuery {
  readonly created_at_start: string
  readonly finalized_at_start?: string
  readonly sort: string
  readonly limit: number
  readonly page: number
}

/**
 * Pages of what was finished since then, in the order in which it was. Each is asked for by where the last one ended: a
 * package that expires meanwhile moves no other out of sight.
 */
async function* finished(
  read: (query: PageQuery) => Promise<Page>,
  since: Since,
): AsyncGenerator<readonly ReceivedPackage[]> {
  let { finalized: from } = since
  for (let page = 1; ; ) {
    const { records } = await read({
      created_at_start: since.created,
      ...(from === '' ? {} : { finalized_at_start: from }),
      sort: 'finalized_at',
      limit: onAPage,
      page,
    })
    // Behind them are those that never were.
    const finalized = records.filter(({ finalized_at }) => finalized_at !== zeroTime)
    yield finalized
    const last = finalized.at(-1)?.finalized_at
    if (last === undefined || finalized.length < onAPage) return
    // A whole page of one moment is followed by the rest of that moment.
    page = last === from ? page + 1 : 1
    from = last
  }
}

export const portalIdOf = async (client: Client, subdomain: string): Promise<string> =>
  (await ask((signal) => client.call(lookUpPortal, { params: { subdomain } }, { signal }))).id

export const packagesOfPortal = (client: Client, session: Session, portalId: string, since: Since) =>
  finished(
    (query) =>
      askAsUser((signal) =>
        client.call(
          listPortalPackages,
          { params: { portal_id: portalId }, query },
          { credential: session.credential(), signal },
        ),
      ),
    since,
  )

export const packagesOfTeam = (client: Client, session: Session, teamId: string, since: Since) =>
  finished(
    (query) =>
      askAsUser((signal) =>
        client.call(
          listInbox,
          { params: { team_id: teamId }, query: { ...query, status: ['finalized'] } },
          { credential: session.credential(), signal },
        ),
      ),
    since,
  )

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
