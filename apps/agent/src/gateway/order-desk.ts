import { orAborted } from '@longshore/transfer/waits'
import type { AskForFiles, DeliveryPage } from '#transfers/ask-for-files'

type Ask = (after: string, signal: AbortSignal) => Promise<DeliveryPage>

/**
 * Between transfers, which want addresses at any time, and lines, which come and go: files of a delivery can be asked
 * for while the cloud has ordered it over a line that is open.
 */
export interface OrderDesk {
  readonly askForFiles: AskForFiles
  readonly put: (transferId: string, ask: Ask) => void
  readonly take: (transferId: string) => void
}

export function createOrderDesk(): OrderDesk {
  const orders = new Map<string, Ask>()
  const awaited = new Map<string, PromiseWithResolvers<void>>()

  const arrival = (transferId: string): Promise<void> => {
    const one = awaited.get(transferId) ?? Promise.withResolvers<void>()
    awaited.set(transferId, one)
    return one.promise
  }

  return {
    askForFiles: async (transferId, after, signal) => {
      while (true) {
        const ask = orders.get(transferId)
        if (ask !== undefined) return ask(after, signal)
        await orAborted(arrival(transferId), signal)
      }
    },
    put: (transferId, ask) => {
      orders.set(transferId, ask)
      awaited.get(transferId)?.resolve()
      awaited.delete(transferId)
    },
    take: (transferId) => void orders.delete(transferId),
  }
}
