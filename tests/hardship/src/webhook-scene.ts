import type { TestContext } from 'node:test'
import { createTeamPackage } from '@longshore/contract/cloud/packages'
import { createWebhook, deleteWebhook, listDeliveries } from '@longshore/contract/cloud/webhooks'
import { startEndpoint } from '#endpoint'
import { type Ground, until } from '#ground'

export const quickly = { LONGSHORE_WEBHOOK_PAUSES_SECONDS: '1,1,1,1' }

export const hook = (
  ground: Ground,
  url: string,
  events: ('package.created' | 'package.finalized')[] = ['package.created'],
) =>
  ground.client.call(createWebhook, {
    params: { team_id: ground.team.team_id },
    body: { active: true, events, method: 'POST', url },
  })

export async function open(ground: Ground) {
  const { id, access_token } = await ground.client.call(createTeamPackage, {
    params: { team_id: ground.team.team_id },
    body: { name: 'Rushes', description: '', recipients: [] },
  })
  return { id, credential: { packageToken: access_token ?? '' } }
}

export const deliveriesOf = async (ground: Ground, id: string) =>
  (await ground.client.call(listDeliveries, { params: { custom_webhook_id: id } })).records

export const settled = (ground: Ground, id: string, state: string) => async () =>
  (await deliveriesOf(ground, id)).every((delivery) => delivery.state === state)

/** A worker that has begun to look for deliveries. */
export async function workingWorker(t: TestContext, ground: Ground, extra: Readonly<Record<string, string>> = quickly) {
  const worker = ground.startWorker(extra)
  const endpoint = await startEndpoint(t)
  const { id } = await hook(ground, endpoint.url)
  await open(ground)
  await until('the worker delivers', async () => endpoint.calls.length > 0, 30)
  await ground.client.call(deleteWebhook, { params: { custom_webhook_id: id } })
  return worker
}
