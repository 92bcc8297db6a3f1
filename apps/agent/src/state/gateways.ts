import type { Database } from './database.ts'

/** A folder of this machine that a cloud connection leads to. */
export interface GatewayRow {
  readonly id: string
  readonly name: string
  readonly permissions: 'r' | 'w' | 'rw'
  readonly root_path: string
  readonly secret: string
  readonly user_id: number | null
  readonly group_id: number | null
}

export const addGateway = (db: Database, one: GatewayRow): number =>
  db.run(
    `insert into gateways (id, name, permissions, root_path, secret, user_id, group_id)
     values (?, ?, ?, ?, ?, ?, ?)`,
    one.id,
    one.name,
    one.permissions,
    one.root_path,
    one.secret,
    one.user_id,
    one.group_id,
  )

/** The oldest first. */
export const listGateways = (db: Database): GatewayRow[] => db.all<GatewayRow>('select * from gateways order by seq')

export const readGateway = (db: Database, id: string): GatewayRow | undefined =>
  db.all<GatewayRow>('select * from gateways where id = ?', id)[0]

export const saveGateway = (db: Database, { id, root_path, secret, user_id, group_id }: GatewayRow): number =>
  db.run(
    'update gateways set root_path = ?, secret = ?, user_id = ?, group_id = ? where id = ?',
    root_path,
    secret,
    user_id,
    group_id,
    id,
  )

export const removeGateway = (db: Database, id: string): number => db.run('delete from gateways where id = ?', id)
