import { useQuery } from '@tanstack/react-query'
import { useText } from '#text/use-text.tsx'
import { gatewayQuery } from './queries.ts'

/** Whether the agent of a storage gateway is there; nothing until we know. */
export function GatewayBadge({ connectionId }: { readonly connectionId: string }) {
  const text = useText<'console'>()
  const { data: isThere } = useQuery(gatewayQuery(connectionId))
  if (isThere === undefined) return null
  return (
    <span className={isThere ? 'badge badge-good' : 'badge badge-warn'}>
      {text(isThere ? 'gateway.online' : 'gateway.offline')}
    </span>
  )
}
