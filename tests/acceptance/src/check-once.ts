import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import type { Endpoint } from '@longshore/contract/endpoint'
import { type AnyInput, type How, refused, show } from '#calls'

/** Every call that takes a key: twice the same, then with another body. */
export async function checkOnce(
  endpoint: Endpoint,
  input: AnyInput,
  other: AnyInput,
  how: How,
  count: () => Promise<number>,
) {
  const keyed = { ...how, idempotencyKey: randomUUID() }
  const before = await count()
  const first = await show(endpoint, input as never, keyed)
  const second = await show(endpoint, input as never, keyed)
  assert.deepEqual(second, first)
  assert.equal(await count(), before + 1)
  await refused(endpoint, other, keyed, 'idempotency_conflict')
  assert.equal(await count(), before + 1)
}
