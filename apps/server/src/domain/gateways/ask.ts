import type { FolderListing, FromGateway, GatewayEntry, GatewayQuestion } from '@longshore/contract/gateway'
import type { Cx } from '#domain/cx'
import { invalid, Refusal } from '#domain/refusal'

/** What can be asked of a gateway: of its agent, or of the process that it is connected to. */
export type Question = GatewayQuestion | { readonly ask: 'about' }

/** What comes back between processes. */
export type Answered =
  | Extract<FromGateway, { type: 'answer' }>['answer']
  | ({ readonly kind: 'about' } & About)
  | { readonly kind: 'silent' }

/** What an agent says of its gateway when it connects. */
interface About {
  readonly permissions: string
  readonly collects: boolean
}

interface Replies {
  readonly about: About
  readonly list: FolderListing
  readonly stat: GatewayEntry
}

// An agent has less than this for its answer, so that silence is told by whoever waits for it.
const patienceMs = 12_000
const aliveMs = 3_000

/** Asks a storage gateway, in whichever process it is connected. */
export async function askGateway<Asked extends Question>(
  cx: Pick<Cx, 'switchboard'>,
  connectionId: string,
  question: Asked,
): Promise<Replies[Asked['ask']]> {
  const patience = question.ask === 'about' ? aliveMs : patienceMs
  const text = await cx.switchboard.ask(connectionId, JSON.stringify(question), patience)
  const answer = text === undefined ? undefined : (JSON.parse(text) as Answered)
  if (answer === undefined || answer.kind === 'silent') throw offline()
  if (answer.kind === 'no') throw new Refusal('connection_refused', reasons[answer.reason])
  const reply = answer.kind === 'listing' ? answer.listing : answer.kind === 'entry' ? answer.entry : answer
  return reply as Replies[Asked['ask']]
}

/** Refuses unless the gateway is connected. */
export async function expectGateway(cx: Pick<Cx, 'switchboard'>, connectionId: string): Promise<void> {
  await askGateway(cx, connectionId, { ask: 'about' })
}

/** Refuses unless the gateway is connected, and files may be taken from it. */
export async function expectCollecting(cx: Pick<Cx, 'switchboard'>, connectionId: string): Promise<void> {
  const { permissions, collects } = await askGateway(cx, connectionId, { ask: 'about' })
  if (!collects) throw invalid('cloud_connection_id', 'must have an agent that can import; update this one')
  if (!permissions.includes('r')) {
    throw invalid(
      'cloud_connection_id',
      `must have an agent that lets files be taken; this one allows '${permissions}'`,
    )
  }
}

const offline = () => new Refusal('gateway_offline', undefined, { retryAfterSeconds: 10 })

const reasons = {
  not_found: 'There is no such folder behind this storage gateway.',
  not_a_directory: 'This is a file behind the storage gateway, and no folder.',
  not_allowed: 'The agent of this storage gateway does not allow it. See its permissions.',
  failed: 'The agent of this storage gateway could not read its folder.',
} as const
