import { useConnections } from '../connections/use-connections.ts'
import type { Package } from '../packages/queries.ts'
import type { Transfer } from './queries.ts'
import { TransferCard } from './transfer-card.tsx'

/** Transfers of a package, the latest first. */
export function TransferList({ pkg, transfers }: { readonly pkg: Package; readonly transfers: readonly Transfer[] }) {
  const { all } = useConnections()
  return (
    <ul className="flex max-w-3xl flex-col gap-3">
      {transfers.map((transfer) => (
        <li key={transfer.id}>
          <TransferCard
            pkg={pkg}
            transfer={transfer}
            connection={all.find(({ id }) => id === transfer.cloud_connection_id)}
          />
        </li>
      ))}
    </ul>
  )
}
