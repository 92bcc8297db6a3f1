import type { Role } from '@longshore/contract/endpoint'
import { type Reads, sql, type Tx } from '#platform/db'

export interface ApiKeyRow {
  readonly id: string
  readonly team_id: string
  readonly created_by: string
  readonly name: string
  readonly description: string
  readonly expiry: Date | null
  readonly state: 'active' | 'inactive' | 'suspended'
  readonly created_at: Date
  readonly updated_at: Date
  readonly last_request_at: Date | null
}

const columns = sql`id, team_id, created_by, name, description, expiry, state, created_at, updated_at, last_request_at`

export interface KeyHolderRow {
  readonly id: string
  readonly team_id: string
  readonly state: 'active' | 'inactive' | 'suspended'
  readonly expired: boolean
  readonly used_lately: boolean
  readonly user_id: string
  readonly email: string
  /** Null when the creator has left the Team. */
  readonly membership_id: string | null
  readonly role: Role | null
}

/** The key behind a hash, with its creator as the Team knows them now. */
export const keyHolder = (reads: Reads, keyHash: Buffer) =>
  reads.row<KeyHolderRow>(sql`
    select k.id, k.team_id, k.state, k.expiry is not null and k.expiry <= now() as expired,
           coalesce(k.last_request_at > now() - interval '1 minute', false) as used_lately,
           u.id as user_id, u.email, m.id as membership_id, m.role
      from api_keys k
      join users u on u.id = k.created_by
      left join memberships m on m.team_id = k.team_id and m.user_id = k.created_by
     where k.key_hash = ${keyHash}
  `)

/** Notes the use of a key, at most once a minute. */
export const noteKeyUse = (tx: Tx, id: string) =>
  tx.run(sql`
    update api_keys set last_request_at = now()
     where id = ${id} and (last_request_at is null or last_request_at <= now() - interval '1 minute')
  `)

export interface NewApiKey {
  readonly id: string
  readonly teamId: string
  readonly createdBy: string
  readonly keyHash: Buffer
  readonly name: string
  readonly description: string
  readonly expiry: Date | null
  readonly state: 'active' | 'inactive'
}

export const insertApiKey = (tx: Tx, key: NewApiKey) =>
  tx.row<ApiKeyRow>(sql`
    insert into api_keys (id, team_id, created_by, key_hash, name, description, expiry, state)
    values (${key.id}, ${key.teamId}, ${key.createdBy}, ${key.keyHash}, ${key.name}, ${key.description},
            ${key.expiry}, ${key.state})
    returning ${columns}
  `)

export const apiKeyById = (reads: Reads, id: string) =>
  reads.row<ApiKeyRow>(sql`select ${columns} from api_keys where id = ${id}`)

export interface ApiKeyChange {
  readonly name: string | undefined
  readonly description: string | undefined
  readonly expiry: Date | null | undefined
  readonly state: 'active' | 'inactive'
}

/** Changes a key. Undefined when it is gone or suspended. */
export const updateApiKeyRow = (tx: Tx, id: string, change: ApiKeyChange) =>
  tx.row<ApiKeyRow>(sql`
    update api_keys
       set name = coalesce(${change.name}, name),
           description = coalesce(${change.description}, description),
           expiry = case when ${change.expiry !== undefined}::boolean then ${change.expiry}::timestamptz else expiry end,
           state = ${change.state}, updated_at = now()
     where id = ${id} and state <> 'suspended'
    returning ${columns}
  `)

/** Returns false when the key is gone. */
export const deleteApiKeyRow = async (tx: Tx, id: string): Promise<boolean> =>
  (await tx.run(sql`delete from api_keys where id = ${id}`)) === 1

/** The keys of a Team, or those of one creator in it. */
export const apiKeysOfTeam = (reads: Reads, teamId: string, createdBy: string | undefined) =>
  reads.rows<ApiKeyRow>(sql`
    select ${columns} from api_keys
     where team_id = ${teamId} and (${createdBy}::uuid is null or created_by = ${createdBy}::uuid)
     order by created_at desc, id
  `)

/** For operators: suspends a key, or lets a suspended one become active again. */
export const setSuspended = async (tx: Tx, id: string, suspended: boolean): Promise<boolean> =>
  (await tx.run(sql`
    update api_keys set state = ${suspended ? 'suspended' : 'active'}, updated_at = now()
     where id = ${id} and (state = 'suspended') <> ${suspended}::boolean
  `)) === 1
