import { setTimeout as sleep } from 'node:timers/promises'
import { ApiError } from '@longshore/client/client'
import { readEvents } from '@longshore/client/server-events'
import { followTransfers, type TransferEvent, type TransferRemoved } from '@longshore/contract/agent/events'
import type { Static } from 'typebox'
import type { Agent } from '#cli/agent/connection'
import { exitCodes } from '#cli/exit-codes'
import { idOf, readTransfer, shortId, type Transfer, type TransferKind } from '#cli/transfer'
import { Trouble } from '#cli/trouble'

export type FindAgent = () => Promise<Agent>

const patience = 30_000

/**
 * Tells how a transfer is and whenever that changes, until the caller has enough.
 *
 * An agent that is started anew goes on with its transfers, so for a while its silence is waited out; `findAgent` says
 * where it is then.
 */
export async function* follow(
  findAgent: FindAgent,
  kind: TransferKind,
  id: string,
  signal: AbortSignal,
): AsyncGenerator<Transfer> {
  let silentSince: number | undefined
  while (true) {
    try {
      const agent = await findAgent()
      for await (const transfer of followOnce(agent, kind, id, signal)) {
        silentSince = undefined
        yield transfer
      }
    } catch (error) {
      signal.throwIfAborted()
      if (error instanceof ApiError && error.status === 404) throw gone(id)
      if (!isSilence(error)) throw error
      silentSince ??= Date.now()
      if (Date.now() - silentSince > patience) throw error
    }
    await sleep(500, undefined, { signal })
  }
}

async function* followOnce(
  agent: Agent,
  kind: TransferKind,
  id: string,
  signal: AbortSignal,
): AsyncGenerator<Transfer> {
  // The stream first: what changes between the two is told twice rather than not at all.
  const stream = await agent.raw(followTransfers, {}, { signal })
  if (!stream.ok || stream.body === null) throw new TypeError(`The agent answered ${stream.status} for its events.`)
  const events = readEvents(stream.body)
  try {
    const { items: _, ...now } = await readTransfer(agent, kind, id)
    yield now
    for await (const event of events) {
      if (event.type === 'transfer.removed' && (JSON.parse(event.data) as Static<typeof TransferRemoved>).id === id)
        throw gone(id)
      if (event.type !== 'transfer.changed' && event.type !== 'transfer.progress') continue
      const told = JSON.parse(event.data) as Static<typeof TransferEvent>
      const transfer = { kind: told.kind, ...told.transfer } as Transfer
      if (told.kind === kind && idOf(transfer) === id) yield transfer
    }
  } finally {
    await events.return()
    await stream.body.cancel().catch(() => {})
  }
}

/** No answer, or a stream that broke off: fetch throws a TypeError for that. */
const isSilence = (error: unknown): boolean =>
  error instanceof TypeError || (error instanceof Trouble && error.exitCode === exitCodes.unreachable)

const gone = (id: string) => new Trouble(`The transfer ${shortId(id)} was removed meanwhile.`)
