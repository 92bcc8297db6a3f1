import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { type CallerCredential, type CallInput, createClient } from '@longshore/client/client'
import { readEvents, type ServerEvent } from '@longshore/client/server-events'
import type { Endpoint } from '@longshore/contract/endpoint'

export interface Listening {
  readonly events: ServerEvent[]
  ended(): boolean
  types(): string[]
  /** Types of the events about one package. */
  toldOf(packageId: string): string[]
}

/** Reads a stream in the background, until the test is over or the stream is. */
export async function listen<E extends Endpoint>(
  t: Pick<TestContext, 'after'>,
  url: string,
  endpoint: E,
  input: CallInput<E>,
  credential: CallerCredential,
  lastEventId?: string,
): Promise<Listening> {
  const stopping = new AbortController()
  t.after(() => stopping.abort())
  const goingOn: Record<string, string> = lastEventId === undefined ? {} : { 'last-event-id': lastEventId }
  const client = createClient({
    baseUrl: url,
    fetch: (address, init) =>
      fetch(address, { ...init, headers: { ...(init?.headers as Record<string, string>), ...goingOn } }),
  })
  const reply = await client.raw(endpoint, input, { credential, signal: stopping.signal })
  assert.ok(reply.status === 200 && reply.body !== null, String(reply.status))
  const { body } = reply
  const events: ServerEvent[] = []
  let ended = false
  const reading = async () => {
    for await (const event of readEvents(body)) events.push(event)
  }
  // A server that is killed cuts the stream; that is an end like any other.
  void reading()
    .catch(() => {})
    .finally(() => (ended = true))
  return {
    events,
    ended: () => ended,
    types: () => events.map(({ type }) => type),
    toldOf: (packageId) => events.filter(({ data }) => data.includes(packageId)).map(({ type }) => type),
  }
}
