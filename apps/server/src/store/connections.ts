import { type Reads, sql, type Tx } from '#platform/db'

export type Provider = 's3' | 'storage_gateway'
export type Direction = 'import' | 'export' | 'both'

export interface ConnectionRow {
  readonly team_id: string
  readonly id: string
  readonly name: string
  readonly provider: Provider
  readonly direction: Direction
  readonly target_directory: string
  /** Of a store. */
  readonly authorization_sealed: Buffer | null
  /** Of a storage gateway. */
  readonly secret_hash: Buffer | null
  readonly created_at: Date
  readonly updated_at: Date
}

const columns = sql`c.team_id, c.id, c.name, c.provider, c.direction, c.target_directory, c.authorization_sealed,
  c.secret_hash, c.created_at, c.updated_at`

export const connectionById = (reads: Reads, id: string) =>
  reads.row<ConnectionRow>(sql`select ${columns} from cloud_connections c where c.id = ${id}`)

export const connectionOfTeam = (reads: Reads, teamId: string, id: string) =>
  reads.row<ConnectionRow>(sql`select ${columns} from cloud_connections c where c.team_id = ${teamId} and c.id = ${id}`)

/** The same, and it is not deleted before the transaction ends. */
export const keptConnectionOfTeam = (tx: Tx, teamId: string, id: string) =>
  tx.row<ConnectionRow>(sql`
    select ${columns} from cloud_connections c where c.team_id = ${teamId} and c.id = ${id} for key share
  `)

export const connectionsOfTeam = (reads: Reads, teamId: string) =>
  reads.rows<ConnectionRow>(sql`
    select ${columns} from cloud_connections c where c.team_id = ${teamId} order by c.created_at, c.id
  `)

export type NewConnection = Omit<ConnectionRow, 'created_at' | 'updated_at'>

export const insertConnection = (tx: Tx, made: NewConnection) =>
  tx.row<ConnectionRow>(sql`
    insert into cloud_connections as c (team_id, id, name, provider, direction, target_directory, authorization_sealed,
                                        secret_hash)
    values (${made.team_id}, ${made.id}, ${made.name}, ${made.provider}, ${made.direction}, ${made.target_directory},
            ${made.authorization_sealed}, ${made.secret_hash})
    returning ${columns}
  `)

export interface ConnectionChange {
  readonly name: string | undefined
  readonly direction: Direction | undefined
  readonly targetDirectory: string | undefined
  readonly authorizationSealed: Buffer | undefined
}

/** What is undefined stays. Undefined when it was deleted. */
export const updateConnectionRow = (tx: Tx, teamId: string, id: string, change: ConnectionChange) =>
  tx.row<ConnectionRow>(sql`
    update cloud_connections c
       set name = coalesce(${change.name}, name), direction = coalesce(${change.direction}, direction),
           target_directory = coalesce(${change.targetDirectory}, target_directory),
           authorization_sealed = coalesce(${change.authorizationSealed}, authorization_sealed), updated_at = now()
     where c.team_id = ${teamId} and c.id = ${id}
    returning ${columns}
  `)

/** Returns false when it was deleted. */
export const setGatewaySecret = async (tx: Tx, teamId: string, id: string, secretHash: Buffer): Promise<boolean> =>
  (await tx.run(sql`
    update cloud_connections set secret_hash = ${secretHash}, updated_at = now()
     where team_id = ${teamId} and id = ${id} and provider = 'storage_gateway'
  `)) === 1

/** Deletes a connection with its attachments. Returns false when it was deleted before. */
export const deleteConnectionRow = async (tx: Tx, teamId: string, id: string): Promise<boolean> =>
  (await tx.run(sql`delete from cloud_connections where team_id = ${teamId} and id = ${id}`)) === 1
