import { basename, resolve } from 'node:path'
import type {
  startPortalUpload as portalEndpoint,
  startUpload as teamEndpoint,
} from '@longshore/contract/agent/uploads'
import type { InputOf } from '@longshore/contract/endpoint'
import { type OpenPackage, openPortalPackage, openTeamPackage } from '#cloud/packages'
import { addTransfer } from '#state/transfers'
import { checkPaths } from './check-paths.ts'
import type { Means } from './means.ts'
import type { UploadPlan, UploadSecrets } from './plans.ts'

type TeamUpload = InputOf<typeof teamEndpoint>['body']
type PortalUpload = InputOf<typeof portalEndpoint>['body']

/** What is settled before a transfer begins. */
export interface Beginning {
  /** The call that opens the package is made under it: the same one again opens no second package. */
  readonly id: string
  readonly plan?: Partial<UploadPlan>
  /** Done in the transaction that notes the transfer. */
  readonly noted?: () => void
}

/** Opens a package of a Team and notes what is to be sent in it. */
export async function startTeamUpload(means: Means, given: TeamUpload, begin: Beginning): Promise<Started> {
  // Whether there is a session is the first thing to be told.
  means.session.credential()
  await checkPaths(given.paths, means.dataDir)
  const body = {
    name: nameOf(given),
    description: given.package_description ?? '',
    recipients: given.recipients ?? [],
    chunk_size: chunkSizeOf(means, given),
    ...defined({
      password: given.password,
      access_limit: given.download_limit,
      tag: given.tag,
      teamspace_id: given.teamspace_id,
      unlimited_storage: given.unlimited_storage,
    }),
  }
  const opened = await openTeamPackage(means.client, means.session, given.team_id, body, given.delete_after, begin.id)
  return note(means, begin, 'team', given, opened)
}

/** Opens a package in a Portal, as an outside sender, and notes what is to be sent in it. */
export async function startPortalUpload(means: Means, given: PortalUpload, begin: Beginning): Promise<Started> {
  await checkPaths(given.paths, means.dataDir)
  const sending = {
    subdomain: given.subdomain,
    accessCode: given.access_code ?? '',
    metadata: given.metadata,
    body: {
      name: nameOf(given),
      description: given.package_description ?? '',
      sender: given.sender_email,
      chunk_size: chunkSizeOf(means, given),
    },
  }
  return note(means, begin, 'portal', given, await openPortalPackage(means.client, sending, begin.id))
}

export interface Started {
  readonly upload_id: string
  readonly package_id: string
}

type Sent = Pick<TeamUpload, 'paths' | 'package_name' | 'chunk_size' | 'priority'>

const nameOf = ({ package_name, paths }: Sent) => package_name ?? (basename(resolve(paths[0] ?? '')) || 'Package')

const chunkSizeOf = ({ chunkSize }: Means, given: Sent) => given.chunk_size || chunkSize

function note(means: Means, begin: Beginning, type: 'team' | 'portal', given: Sent, opened: OpenPackage): Started {
  const { id } = begin
  const plan: UploadPlan = { paths: given.paths, chunkSize: chunkSizeOf(means, given), ...begin.plan }
  const secrets: UploadSecrets = { token: opened.token }
  means.db.transaction(() => {
    addTransfer(
      means.db,
      {
        id,
        direction: 'up',
        type,
        package_id: opened.id,
        name: nameOf(given),
        priority: given.priority ?? 0,
        plan: JSON.stringify(plan),
        secrets: JSON.stringify(secrets),
      },
      means.now(),
    )
    begin.noted?.()
  })
  return { upload_id: id, package_id: opened.id }
}

type Defined<T> = { [Name in keyof T]?: Exclude<T[Name], undefined> }

/** Without the fields that nobody gave. */
const defined = <T extends object>(fields: T): Defined<T> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Defined<T>
