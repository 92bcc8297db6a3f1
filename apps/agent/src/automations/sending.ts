import type { startDownload } from '@longshore/contract/agent/downloads'
import type { startPortalUpload, startUpload } from '@longshore/contract/agent/uploads'
import type { InputOf } from '@longshore/contract/endpoint'
import { newId } from '@longshore/kit/ids'
import { Refusal } from '@longshore/kit/refusal'
import { makeLink } from '#cloud/packages'
import { forgetSending, markBegun, notedSendings, noteSending, type SendingRow } from '#state/sendings'
import type { UploadPlan } from '#transfers/plans'
import type { Means } from './round.ts'

/** What is to be done, word for word: after a crash the same call is made again, under the same key. */
export type Order =
  | ({ readonly kind: 'team'; readonly body: InputOf<typeof startUpload>['body'] } & Upload)
  | ({ readonly kind: 'portal'; readonly body: InputOf<typeof startPortalUpload>['body'] } & Upload)
  | {
      readonly kind: 'fetch'
      readonly body: Omit<InputOf<typeof startDownload>['body'], 'url'>
      readonly token: string
    }

interface Upload {
  readonly plan: Partial<UploadPlan>
  /** Delete what was sent, once it is. */
  readonly clear?: boolean
}

export const orderOf = ({ order_json }: Pick<SendingRow, 'order_json'>) => JSON.parse(order_json) as Order

/** Notes what is to be sent, then sends it: whoever dies in between finds the note. */
export async function beginSending(
  means: Means,
  sending: Pick<SendingRow, 'automation' | 'name' | 'mark' | 'print'>,
  order: Order,
): Promise<void> {
  const row = { id: newId(), ...sending, order_json: JSON.stringify(order) }
  noteSending(means.db, row, means.now())
  await begin(means, { ...row, state: 'noted' })
}

/** What an earlier round, or an earlier process, noted and did not begin. */
export async function beginNoted(means: Means, automation: string): Promise<void> {
  for (const row of notedSendings(means.db, automation)) await begin(means, row)
}

async function begin(means: Means, row: SendingRow): Promise<void> {
  try {
    await start(means, row)
    means.log.info({ automation: row.automation, transfer: row.id }, 'automation begins a transfer')
  } catch (error) {
    // Refused, so there is no package, and the next round asks anew. Where there was no answer there may be one.
    if (error instanceof Refusal && error.code !== 'cloud_unreachable') forgetSending(means.db, row.id)
    throw error
  }
}

async function start({ db, transfers, client }: Means, row: SendingRow): Promise<void> {
  const order = orderOf(row)
  const beginning = { id: row.id, noted: () => void markBegun(db, row.id) }
  if (order.kind === 'fetch') {
    // Nobody else gets this link. With the password of its Portal it would be one guess of the ten a minute there are.
    const link = await makeLink(client, { id: row.mark, token: order.token }, { password: '' }, row.id)
    await transfers.startDownload({ ...order.body, url: link.url }, beginning)
    return
  }
  const { plan } = order
  if (order.kind === 'team') await transfers.startTeamUpload(order.body, { ...beginning, plan })
  else await transfers.startPortalUpload(order.body, { ...beginning, plan })
}
