import { useQuery } from '@tanstack/react-query'
import { useTeam } from '../frame/team.ts'
import { may } from '../session/roles.ts'
import { type Connection, connectionsQuery } from './queries.ts'

interface Connections {
  readonly all: readonly Connection[]
  /** Those that packages can be sent to. */
  readonly targets: readonly Connection[]
  /** Those that files can be taken from. */
  readonly sources: readonly Connection[]
}

/** The connections of the Team; none for those who may not manage them. */
export function useConnections(): Connections {
  const team = useTeam()
  const { data: all = [] } = useQuery({
    ...connectionsQuery(team.id),
    enabled: may(team.policy_key, 'manageConnections'),
  })
  return {
    all,
    targets: all.filter(({ direction }) => direction !== 'import'),
    sources: all.filter(({ direction }) => direction !== 'export'),
  }
}
