import { useText } from '#text/use-text.tsx'
import type { PackageState } from './search.ts'

const looks: Readonly<Record<PackageState, string>> = {
  new: 'badge badge-signal',
  finalized: 'badge badge-good',
  expired: 'badge',
  archived: 'badge',
}

interface StateBadgeProps {
  readonly state: PackageState
  readonly containsVirus?: boolean
}

export function StateBadge({ state, containsVirus = false }: StateBadgeProps) {
  const text = useText<'console'>()
  return (
    <span className="inline-flex flex-wrap gap-1">
      <span className={looks[state]}>{text(`state.${state}`)}</span>
      {containsVirus && <span className="badge badge-danger">{text('package.virus')}</span>}
    </span>
  )
}
