import type { FolderListing, FromGateway, GatewayEntry, GatewayQuestion } from '@longshore/contract/gateway'
import type { Cx } from '#domain/cx'
import { Refusal } from '#domain/refusal'

/** What can be asked of a gateway: of its agent, or of the process that it is connected to. */
export type Question = GatewayQuestion | { readonly ask: 'about' }

/** What comes back between processes. */
export type Answered =
  | Extract<FromGateway, { type: 'answer' }>['answer']
  | { readonly kind: 'about'; readonly permissions: string }
  | { readonly kind: 'silent' }

interface Replies {
  readonly about: { readonly permissions: string }
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

const offline = () => new Refusal('gateway_offline', undefined, { retryAfterSeconds: 10 })

const reasons = {
  not_found: 'There is no such folder behind this storage gateway.',
  not_a_directory: 'This is a file behind the storage gateway, and no folder.',
  not_allowed: 'The agent of this storage gateway does not allow it. See its permissions.',
  failed: 'The agent of this storage gateway could not read its folder.',
} as const
