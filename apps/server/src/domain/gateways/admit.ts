import { timingSafeEqual } from 'node:crypto'
import { GatewayHello } from '@longshore/contract/gateway'
import { hashSecret } from '@longshore/kit/secrets'
import { Compile } from 'typebox/compile'
import { network } from '#domain/access/guesses'
import type { Cx } from '#domain/cx'
import { type ConnectionRow, connectionById } from '#store/connections'

export interface Admitted {
  readonly connection: ConnectionRow
  readonly permissions: GatewayHello['permissions']
  readonly collects: boolean
}

const helloCheck = Compile(GatewayHello)

/** Who says hello with the secret of a gateway is that gateway. Answers why not otherwise. */
export async function admitGateway(
  cx: Pick<Cx, 'db' | 'limiter'>,
  hello: unknown,
  address: string,
): Promise<Admitted | 'malformed' | 'refused' | 'tryLater'> {
  if (!helloCheck.Check(hello)) return 'malformed'
  const connection = await connectionById(cx.db, hello.id)
  // Compared also where there is nothing to compare with: one answer for all that is wrong.
  const right = connection?.secret_hash ?? hashSecret('')
  if (!timingSafeEqual(hashSecret(hello.secret), right) || connection?.provider !== 'storage_gateway') {
    // Nobody guesses 256 bits; this is for those who would keep us busy with trying.
    const allowance = await cx.limiter.guess(`gateways-from:${network(address)}`)
    return allowance.allowed ? 'refused' : 'tryLater'
  }
  return { connection, permissions: hello.permissions, collects: hello.collects ?? false }
}
