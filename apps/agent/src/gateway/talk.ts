import type { FromGateway, ToGateway } from '@longshore/contract/gateway'
import { orAborted } from '@longshore/transfer/waits'
import type { GatewayLine, LineUser } from '#cloud/gateway-line'
import type { GatewayRow } from '#state/gateways'
import type { DeliveryPage } from '#transfers/ask-for-files'
import { takeCollections } from './collect.ts'
import { createLook } from './look.ts'
import type { Means } from './means.ts'
import { takeOrders } from './orders.ts'

/** What one gateway says and does over an open line. */
export function talk(means: Means, gateway: GatewayRow, line: GatewayLine): LineUser {
  const names = { gateway: gateway.id }
  const look = createLook(gateway.root_path)
  const pages = new Map<string, PromiseWithResolvers<DeliveryPage>>()
  let asked = 0
  let isOver = false

  const askForFiles = async (transferId: string, after: string, signal: AbortSignal): Promise<DeliveryPage> => {
    if (isOver) throw lineIsGone()
    const requestId = String(++asked)
    const page = Promise.withResolvers<DeliveryPage>()
    pages.set(requestId, page)
    line.send({ type: 'files_wanted', request_id: requestId, transfer_id: transferId, after })
    try {
      return await orAborted(page.promise, signal)
    } finally {
      pages.delete(requestId)
    }
  }

  const orders = takeOrders(means, gateway, line.send, askForFiles)
  const collections = takeCollections(means, gateway, line.send)

  const answer = async ({ request_id, question }: Extract<ToGateway, { type: 'question' }>) => {
    const said: Extract<FromGateway, { type: 'answer' }>['answer'] = gateway.permissions.includes('r')
      ? await look.answer(question)
      : { kind: 'no', reason: 'not_allowed' }
    line.send({ type: 'answer', request_id, answer: said })
  }

  const act = (message: ToGateway): Promise<void> | void => {
    switch (message.type) {
      case 'question':
        return answer(message)
      case 'deliver':
        return inTurn(() => orders.deliver(message))
      case 'collect':
        return inTurn(() => collections.collect(message))
      case 'stop':
        return inTurn(async () => {
          await orders.stop(message.transfer_id)
          await collections.stop(message.transfer_id)
        })
      case 'files':
        return pages.get(message.request_id)?.resolve(message)
      case 'no_files':
        return pages.get(message.request_id)?.reject(new Error('The cloud has no files for this order just now.'))
      case 'welcome':
    }
  }

  let last = Promise.resolve()
  /** One after the other: an order must not overtake the end of the same one. */
  const inTurn = (work: () => Promise<void>): Promise<void> => {
    last = last.then(work).catch((err: unknown) => {
      // It goes on by itself: what is not told falls due again in the cloud.
      means.log.error({ ...names, err }, 'an order of a gateway failed unexpectedly')
    })
    return last
  }

  return {
    heard: (message) => void act(message),
    over: () => {
      isOver = true
      orders.over()
      collections.over()
      look.close()
      for (const page of pages.values()) page.reject(lineIsGone())
    },
  }
}

const lineIsGone = () => new Error('The line to the cloud is gone.')
