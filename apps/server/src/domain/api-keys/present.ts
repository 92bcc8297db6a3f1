import { showTime } from '#domain/times'
import type { ApiKeyRow } from '#store/api-keys'

export const presentApiKey = (key: ApiKeyRow) => ({
  id: key.id,
  name: key.name,
  description: key.description,
  expiry: showTime(key.expiry),
  state: key.state,
  created_at: showTime(key.created_at),
  updated_at: showTime(key.updated_at),
  last_request_at: showTime(key.last_request_at),
})
