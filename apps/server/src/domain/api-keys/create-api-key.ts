import { newId, newSecret } from '@longshore/kit/ids'
import { hashSecret } from '@longshore/kit/secrets'
import { authorizeInTeam } from '#domain/access/authorize'
import type { Caller } from '#domain/access/caller'
import type { Cx } from '#domain/cx'
import { createOnce, type Once } from '#domain/idempotency'
import { readTime } from '#domain/times'
import { insertApiKey } from '#store/api-keys'
import { presentApiKey } from './present.ts'

export interface ApiKeyFields {
  readonly name?: string
  readonly description?: string
  readonly expiry?: string
  readonly state: 'active' | 'inactive'
}

/** Makes a key that acts with its creator's role. This reply is the only one that ever shows the secret. */
export async function createApiKey(
  cx: Pick<Cx, 'db' | 'box'>,
  caller: Caller,
  teamId: string,
  given: ApiKeyFields,
  once?: Once,
) {
  const member = await authorizeInTeam(cx, caller, 'api-key.create', teamId)
  return createOnce(cx, once, async (tx) => {
    // The prefix lets secret scanners recognise a key that was published by accident.
    const secret = `lsk_${newSecret(32)}`
    const key = await insertApiKey(tx, {
      id: newId(),
      teamId,
      createdBy: member.userId,
      keyHash: hashSecret(secret),
      name: given.name ?? '',
      description: given.description ?? '',
      expiry: given.expiry === undefined ? null : readTime('expiry', given.expiry),
      state: given.state,
    })
    if (key === undefined) throw new Error('The key was made and is not there.')
    return { ...presentApiKey(key), key: secret }
  })
}
