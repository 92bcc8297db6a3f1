import type { createConnection } from '@longshore/contract/cloud/connections'
import type { InputOf } from '@longshore/contract/endpoint'
import type { Connection, Direction } from './queries.ts'

type Body = InputOf<typeof createConnection>['body']

/** A connection as it is typed. */
export interface Answers {
  readonly name: string
  readonly provider: Connection['provider']
  readonly direction: Direction
  readonly directory: string
  /** Of one that exists: its keys are replaced as a whole, or stay. */
  readonly hasNewKeys: boolean
  readonly endpoint: string
  readonly region: string
  readonly bucket: string
  readonly accessKey: string
  readonly secretKey: string
  readonly bucketStands: 'usual' | 'path' | 'host'
}

export const answersOf = (connection: Connection | undefined): Answers => ({
  name: connection?.name ?? '',
  provider: connection?.provider ?? 's3',
  direction: connection?.direction ?? 'both',
  directory: connection?.target_directory ?? '',
  hasNewKeys: connection === undefined,
  endpoint: '',
  region: '',
  bucket: '',
  accessKey: '',
  secretKey: '',
  bucketStands: 'usual',
})

/** What was typed, as the API takes it. What nobody typed is left out, so that the server's own defaults count. */
export function connectionBodyOf(answers: Answers): Body {
  const { name, provider, direction, directory } = answers
  const authorization = provider === 's3' && answers.hasNewKeys ? { authorization: authorizationOf(answers) } : {}
  return { name, provider, direction, target_directory: directory.trim(), ...authorization }
}

const authorizationOf = (answers: Answers): NonNullable<Body['authorization']> => ({
  ...(answers.endpoint.trim() === '' ? {} : { endpoint: answers.endpoint.trim() }),
  ...(answers.region.trim() === '' ? {} : { region: answers.region.trim() }),
  bucket: answers.bucket.trim(),
  access_key_id: answers.accessKey.trim(),
  secret_access_key: answers.secretKey.trim(),
  ...(answers.bucketStands === 'usual' ? {} : { path_style: answers.bucketStands === 'path' }),
})
