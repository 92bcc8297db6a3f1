import { once } from 'node:events'
import {
  type FromGateway,
  gatewayPath,
  type GatewayQuestion,
  gatewayVersion,
  type ToGateway,
} from '@longshore/contract/gateway'
import { target } from '#target'

type Answer = Extract<FromGateway, { type: 'answer' }>['answer']
type Order = Extract<ToGateway, { type: 'deliver' }>
type Collection = Extract<ToGateway, { type: 'collect' }>

/** An agent's end of a storage gateway: answers questions, and does orders as it is told. */
export async function connectGateway(
  gateway: { readonly id: string; readonly secret?: string },
  does: {
    answer?(question: GatewayQuestion): Answer
    deliver?(order: Order, files: (after: string) => Promise<Extract<ToGateway, { type: 'files' }>>): Promise<void>
    collect?(order: Collection): Promise<void>
  } = {},
): Promise<{ hangUp(): Promise<void> }> {
  const socket = new WebSocket(`${target.cloud_url.replace(/^http/, 'ws')}${gatewayPath}`)
  const say = (message: FromGateway | object) => socket.send(JSON.stringify(message))
  const asked = new Map<string, (page: Extract<ToGateway, { type: 'files' }>) => void>()
  const { promise: welcome, resolve, reject } = Promise.withResolvers<void>()
  const deliver = async (order: Order) => {
    await does.deliver?.(order, (after) => {
      const request_id = `${asked.size + 1}`
      say({ type: 'files_wanted', request_id, transfer_id: order.transfer_id, after })
      return new Promise((page) => asked.set(request_id, page))
    })
    say({ type: 'delivered', transfer_id: order.transfer_id })
  }
  const collect = async (order: Collection) => {
    await does.collect?.(order)
    say({ type: 'collected', transfer_id: order.transfer_id })
  }
  socket.addEventListener('close', ({ code }) => reject(new Error(`The channel was closed with ${code}.`)))
  socket.addEventListener('message', ({ data }) => {
    const message = JSON.parse(data as string) as ToGateway
    if (message.type === 'welcome') resolve()
    if (message.type === 'deliver') void deliver(message)
    if (message.type === 'collect') void collect(message)
    if (message.type === 'files') asked.get(message.request_id)?.(message)
    if (message.type === 'question') {
      const answer = does.answer?.(message.question) ?? { kind: 'no', reason: 'not_found' }
      say({ type: 'answer', request_id: message.request_id, answer })
    }
  })
  await once(socket, 'open')
  const { id, secret = '' } = gateway
  say({ type: 'hello', version: gatewayVersion, id, secret, permissions: 'rw', collects: true })
  await welcome
  return {
    async hangUp() {
      const closed = once(socket, 'close')
      socket.close()
      await closed
    },
  }
}
