import type { CallInput } from '@longshore/client/client'
import type { createConnection } from '@longshore/contract/cloud/connections'
import { target } from '#target'

type Fields = CallInput<typeof createConnection>['body']

/** The keys of somebody else's bucket, as a connection is given them. */
export const elsewhere = (which: 'open' | 'closed'): NonNullable<Fields['authorization']> => ({
  endpoint: target.elsewhere.endpoint,
  region: target.elsewhere.region,
  bucket: target.elsewhere[which],
  access_key_id: target.elsewhere.keys.access_key,
  secret_access_key: target.elsewhere.keys.secret_key,
})

export const connectionFields = (more: Partial<Fields> = {}): Fields => ({
  name: 'Vault',
  provider: 's3',
  direction: 'both',
  authorization: elsewhere('closed'),
  ...more,
})
