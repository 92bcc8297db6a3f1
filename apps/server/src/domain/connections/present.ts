import { showTime } from '#domain/times'
import type { ConnectionRow } from '#store/connections'

export const presentConnection = (connection: ConnectionRow) => ({
  id: connection.id,
  team_id: connection.team_id,
  name: connection.name,
  provider: connection.provider,
  direction: connection.direction,
  target_directory: connection.target_directory,
  created_at: showTime(connection.created_at),
  updated_at: showTime(connection.updated_at),
})
