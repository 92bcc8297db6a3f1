import { gatewayCloses } from '@longshore/contract/gateway'
import type { LineEnd } from '#cloud/gateway-line'

/** What the end of a line means for whoever has to do something about it. */
export interface Meaning {
  readonly message: string
  /** False where only somebody can change it. */
  readonly tryAgain: boolean
  /** It makes no sense to come back sooner. */
  readonly leastPauseMs: number
  /** True where nothing that was ordered is wanted any more. */
  readonly endsOrders?: true
}

const passing = (message: string, leastPauseMs = 0): Meaning => ({ message, tryAgain: true, leastPauseMs })
const final = (message: string): Meaning => ({ message, tryAgain: false, leastPauseMs: 0 })

const meanings: Readonly<Record<number, (id: string) => Meaning>> = {
  [gatewayCloses.restarting]: () => passing('The server is being restarted. The agent connects again by itself.'),
  [gatewayCloses.tryLater]: () => passing('The server is busy. The agent connects again by itself.', 5_000),
  [gatewayCloses.malformed]: () =>
    passing('The server does not understand this agent. Bring both to the same version.', 30_000),
  [gatewayCloses.refused]: (id) =>
    final(
      `The server knows no such gateway, or another secret of it. Give it its secret (${settingSecret(id)}) or remove it (${removing(id)}).`,
    ),
  [gatewayCloses.tooSlow]: () => passing('The line to the server is too slow. The agent connects again by itself.'),
  [gatewayCloses.replaced]: () =>
    passing('Another agent has connected as this gateway. Unregister it on one of them.', 30_000),
  [gatewayCloses.deleted]: (id) => ({
    ...final(`The cloud connection was deleted. Remove this gateway: ${removing(id)}`),
    endsOrders: true,
  }),
  [gatewayCloses.renewed]: (id) =>
    final(`Its secret was renewed in the cloud. Give it the new one: ${settingSecret(id)}`),
}

const settingSecret = (id: string) => `longshore gateway set ${id.slice(-8)} --secret`
const removing = (id: string) => `longshore gateway rm ${id.slice(-8)}`

/** `id` is that of the gateway, for the command that mends it. */
export function meaningOf({ code, error }: LineEnd, id: string): Meaning {
  const known = code === undefined ? undefined : meanings[code]?.(id)
  if (known !== undefined) return known
  const status = /^Unexpected server response: (\d+)$/.exec(error?.message ?? '')?.[1]
  if (status !== undefined) {
    return passing(`The server answered ${status} in place of a WebSocket. Check the address, and the proxy before it.`)
  }
  return passing(`The server cannot be reached${error === undefined ? '' : ` (${error.message})`}. It is tried again.`)
}
