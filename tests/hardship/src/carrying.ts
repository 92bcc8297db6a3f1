import { readFileSync } from 'node:fs'
import { createConnection, readTransfer, type startTransfer } from '@longshore/contract/cloud/connections'
import type { ReplyOf } from '@longshore/contract/endpoint'
import type { ServerProcess } from '@longshore/stack/longshore/server-process'
import { makeCustomerBucket } from '@longshore/stack/stack'
import { type Ground, until } from '#ground'

export type Transfer = ReplyOf<typeof startTransfer>

export const inSmallParts = { LONGSHORE_TRANSFER_PART_MIB: '5' }

/** A connection to a new bucket of the customer. Open: our store may copy into it and from it. */
export async function connect(ground: Ground, bucket: string, open: boolean): Promise<string> {
  const { s3 } = ground.stack
  await makeCustomerBucket(ground.stack, bucket, { open })
  const authorization = {
    endpoint: s3.endpoint,
    region: s3.region,
    bucket,
    access_key_id: s3.customer.access_key,
    secret_access_key: s3.customer.secret_key,
  }
  const body = { name: 'Vault', provider: 's3' as const, direction: 'both' as const, authorization }
  return (await ground.client.call(createConnection, { params: { team_id: ground.team.team_id }, body })).id
}

export const look = (ground: Ground, { id, access_token }: Transfer) =>
  ground.client.call(readTransfer, { params: { transfer_id: id } }, { credential: { transferToken: access_token } })

/** Whether a transfer is complete. One that has failed never will be. */
export const complete = (ground: Ground, transfer: Transfer) => async () => {
  const { state, error } = await look(ground, transfer)
  if (state === 'error') throw new Error(`The transfer ended in error: ${error}`)
  return state === 'complete'
}

/** Lets a worker have a transfer, then or now. */
export const fallsDue = (ground: Ground, transfer: Transfer, when: string) =>
  ground.ask(`update transfers set due = ${when} where id = '${transfer.id}'`)

/** Bytes that a process has read so far, from files and sockets alike. */
export const bytesRead = (one: ServerProcess): number =>
  Number(/^rchar: (\d+)$/m.exec(readFileSync(`/proc/${one.child.pid}/io`, 'utf8'))?.[1] ?? Number.NaN)

export async function working(ground: Ground, extra = {}): Promise<ServerProcess> {
  const worker = ground.startWorker(extra)
  await until('the worker works', async () => readFileSync(worker.logFile, 'utf8').includes('"working"'), 60)
  return worker
}
