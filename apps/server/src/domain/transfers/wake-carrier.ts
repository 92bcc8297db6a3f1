import { gatewayTopic } from '#domain/gateways/topic'
import type { Tx } from '#platform/db'
import type { Provider } from '#store/connections'
import { transfersTopic } from './topic.ts'

/** Wakes whoever is to do something for a transfer: a worker, or the process that its gateway talks to. */
export const wakeCarrier = (
  tx: Tx,
  { connectionId, provider }: { readonly connectionId: string | null; readonly provider: Provider },
): void => tx.announce(provider === 's3' || connectionId === null ? transfersTopic : gatewayTopic(connectionId))
