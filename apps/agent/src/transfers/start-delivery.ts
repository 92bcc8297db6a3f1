import { join } from 'node:path'
import { addTransfer } from '#state/transfers'
import type { Means } from './means.ts'
import type { DeliveryPlan } from './plans.ts'

export interface Delivery {
  /** As the cloud calls it: the same order again is the same transfer. */
  readonly id: string
  readonly packageId: string
  readonly gateway: string
  readonly root: string
  readonly below: string
}

/** Notes what the cloud ordered. What is in the package is asked for by the run of it. */
export function startDelivery({ db, now }: Means, { id, packageId, gateway, root, below }: Delivery): string {
  const plan: DeliveryPlan = { folder: join(root, below), onConflict: 'rename', gateway, root, below }
  addTransfer(
    db,
    {
      id,
      direction: 'down',
      type: 'gateway',
      package_id: packageId,
      name: below.slice(below.lastIndexOf('/') + 1) || 'Package',
      priority: 0,
      plan: JSON.stringify(plan),
      secrets: '{}',
    },
    now(),
  )
  return id
}
