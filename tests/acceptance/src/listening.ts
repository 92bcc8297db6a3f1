import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { type CallInput, type CallerCredential, createClient } from '@longshore/client/client'
import { readEvents, type ServerEvent } from '@longshore/client/server-events'
import type { Endpoint } from '@longshore/contract/endpoint'
import { nameOf } from '#endpoints'
import { noteShown } from '#record'
import { target } from '#target'

/** A stream that somebody reads, until the test is over or the server ends it. */
export interface Listening {
  readonly headers: Headers
  readonly events: ServerEvent[]
  ended(): boolean
  close(): void
  types(): string[]
  /** What the last event of this type said. */
  last(type: string): Record<string, unknown> | undefined
}

interface Manner {
  readonly as?: CallerCredential
  readonly lastEventId?: string
  /** Another server than the target. */
  readonly at?: string
}

/** Opens a stream, which must be let through, and reads it in the background. */
export async function listen<E extends Endpoint>(
  t: TestContext,
  endpoint: E,
  input: CallInput<E>,
  { as, lastEventId, at = target.cloud_url }: Manner,
): Promise<Listening> {
  const stopping = new AbortController()
  t.after(() => stopping.abort())
  const withId: typeof fetch = (url, init) =>
    fetch(url, {
      ...init,
      headers: {
        ...(init?.headers as Record<string, string>),
        ...(lastEventId === undefined ? {} : { 'last-event-id': lastEventId }),
      },
    })
  const client = createClient({ baseUrl: at, fetch: withId })
  const reply = await client.raw(endpoint, input, {
    ...(as === undefined ? {} : { credential: as }),
    signal: stopping.signal,
  })
  assert.equal(reply.status, 200, reply.status === 200 ? '' : await reply.text())
  noteShown(nameOf(endpoint), 'success')
  const events: ServerEvent[] = []
  let ended = false
  const reading = async () => {
    if (reply.body === null) return
    for await (const event of readEvents(reply.body)) events.push(event)
  }
  void reading()
    .catch(() => {})
    .finally(() => (ended = true))
  return {
    headers: reply.headers,
    events,
    ended: () => ended,
    close: () => stopping.abort(),
    types: () => events.map(({ type }) => type),
    last(type) {
      const event = events.findLast((one) => one.type === type)
      return event === undefined ? undefined : (JSON.parse(event.data) as Record<string, unknown>)
    },
  }
}

export async function until(what: string, isSo: () => boolean, seconds = 10): Promise<void> {
  const deadline = Date.now() + seconds * 1000
  while (!isSo()) {
    assert.ok(Date.now() < deadline, `after ${seconds} s still not so: ${what}`)
    await sleep(20)
  }
}
