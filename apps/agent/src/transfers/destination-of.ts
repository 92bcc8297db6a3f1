import { type Destination, openDestination } from '#host/destination'
import type { Owner } from '#host/folder'
import { type GatewayRow, readGateway } from '#state/gateways'
import type { TransferRow } from '#state/transfers'
import type { Means } from './means.ts'
import { downloadPlan, isDelivery } from './plans.ts'

/** Where a download is written to. */
export function destinationOf({ db }: Pick<Means, 'db'>, row: TransferRow): Promise<Destination> {
  const plan = downloadPlan(row)
  const shared = { transfer: row.id, onConflict: plan.onConflict }
  if (!isDelivery(plan)) return openDestination({ ...shared, root: plan.folder })
  const owner = ownerFor(readGateway(db, plan.gateway))
  return openDestination({
    ...shared,
    root: plan.root,
    below: plan.below,
    ...(owner === undefined ? {} : { owner }),
  })
}

function ownerFor(gateway: GatewayRow | undefined): Owner | undefined {
  const { user_id: user, group_id: group } = gateway ?? { user_id: null, group_id: null }
  return user === null && group === null ? undefined : { user: user ?? -1, group: group ?? -1 }
}
