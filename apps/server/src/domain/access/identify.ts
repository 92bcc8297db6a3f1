import { hashSecret } from '@longshore/kit/secrets'
import type { Cx } from '#domain/cx'
import { Refusal } from '#domain/refusal'
import { keyHolder, noteKeyUse } from '#store/api-keys'
import type { KeyCaller, PackageCaller, TransferCaller, UserCaller } from './caller.ts'

/** Finds out who shows an API key. A creator who left the Team takes the key with them. */
export async function identifyByKey(cx: Pick<Cx, 'db'>, apiKey: string): Promise<KeyCaller> {
  const holder = await keyHolder(cx.db, hashSecret(apiKey))
  if (holder === undefined || holder.membership_id === null || holder.role === null) {
    throw new Refusal('credential_invalid')
  }
  if (holder.state !== 'active') throw new Refusal('api_key_inactive', `This API key is ${holder.state}.`)
  if (holder.expired) throw new Refusal('token_expired', 'This API key has expired. Use another.')
  if (!holder.used_lately) await cx.db.transaction((tx) => noteKeyUse(tx, holder.id))
  return {
    kind: 'api-key',
    keyId: holder.id,
    teamId: holder.team_id,
    userId: holder.user_id,
    membershipId: holder.membership_id,
    role: holder.role,
    email: holder.email,
  }
}

export async function identifyByUserToken(cx: Pick<Cx, 'tokens'>, token: string): Promise<UserCaller> {
  return { kind: 'user-token', ...(await cx.tokens.verifyUser(token)) }
}

export async function identifyByPackageToken(cx: Pick<Cx, 'tokens'>, token: string): Promise<PackageCaller> {
  return { kind: 'package-token', ...(await cx.tokens.verifyPackage(token)) }
}

export async function identifyByTransferToken(cx: Pick<Cx, 'tokens'>, token: string): Promise<TransferCaller> {
  return { kind: 'transfer-token', ...(await cx.tokens.verifyTransfer(token)) }
}
