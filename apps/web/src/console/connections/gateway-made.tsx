import { useText } from '#text/use-text.tsx'
import { ShownOnce } from '../frame/shown-once.tsx'
import { GatewaySteps } from './gateway-steps.tsx'
import type { Connection } from './queries.ts'

interface GatewayMadeProps {
  readonly connection: Connection
  readonly secret: string
  readonly onClose: () => void
}

/** What the agent of a new storage gateway has to be told. */
export function GatewayMade({ connection, secret, onClose }: GatewayMadeProps) {
  const text = useText<'console'>()
  return (
    <ShownOnce
      title={text('gateway.made', { name: connection.name })}
      label={text('gateway.secret')}
      value={secret}
      wide
      onClose={onClose}
    >
      <GatewaySteps connection={connection} />
    </ShownOnce>
  )
}
