import type { UserRow } from '#store/users'

export const presentUser = (user: UserRow) => ({
  id: user.id,
  level: 'user',
  name: user.name,
  email: user.email,
  preferred_team_id: user.preferred_team_id ?? '',
  primary_team_id: user.primary_team_id ?? '',
  time_zone: user.time_zone,
})
