import { addTransfer } from '#state/transfers'
import type { Means } from './means.ts'
import type { UploadPlan, UploadSecrets } from './plans.ts'

export interface Collection {
  /** As the cloud calls it: the same order again is the same transfer. */
  readonly id: string
  readonly packageId: string
  /** Of the package. */
  readonly token: string
  readonly gateway: string
  readonly root: string
  readonly below: string
  readonly paths: readonly string[]
}

/** Notes what the cloud wants of the folder behind a gateway. Whether the package is closed after is the cloud's affair. */
export function startCollection({ db, now, chunkSize }: Means, given: Collection): string {
  const { id, packageId, token, gateway, root, below, paths } = given
  const plan: UploadPlan = { paths, chunkSize, leaveOpen: true, collected: { gateway, root, below } }
  const secrets: UploadSecrets = { token }
  const [first = ''] = paths
  addTransfer(
    db,
    {
      id,
      direction: 'up',
      type: 'gateway',
      package_id: packageId,
      name: (first === '' ? below : first).split('/').findLast((name) => name !== '') ?? 'Package',
      priority: 0,
      plan: JSON.stringify(plan),
      secrets: JSON.stringify(secrets),
    },
    now(),
  )
  return id
}
