import { type Reads, sql, type Tx } from '#platform/db'

export interface LinkRow {
  readonly id: string
  readonly team_id: string
  readonly package_id: string
  readonly email: string
  readonly secret_hash: Buffer
  readonly password_sealed: Buffer | null
  readonly expiry: Date | null
  readonly access_limit: number
  readonly access_count: number
  readonly last_access_at: Date | null
  readonly active: boolean
  readonly deleted_at: Date | null
  readonly created_at: Date
}

const columns = sql`id, team_id, package_id, email, secret_hash, password_sealed, expiry, access_limit, access_count, last_access_at,
  active, deleted_at, created_at`

export interface NewLink {
  readonly id: string
  readonly email: string
  readonly secretHash: Buffer
  readonly secretSealed: Buffer
  readonly passwordSealed: Buffer | null
  readonly expiry: Date | null
  readonly accessLimit: number
  readonly active: boolean
}

export const insertLinks = (tx: Tx, teamId: string, packageId: string, links: readonly NewLink[]) =>
  tx.rows<LinkRow>(sql`
    insert into links (team_id, package_id, id, email, secret_hash, secret_sealed, password_sealed, expiry,
                       access_limit, active)
    select ${teamId}, ${packageId}, *
      from unnest(${links.map((l) => l.id)}::uuid[], ${links.map((l) => l.email)}::text[],
                  ${links.map((l) => l.secretHash)}::bytea[], ${links.map((l) => l.secretSealed)}::bytea[],
                  ${links.map((l) => l.passwordSealed)}::bytea[], ${links.map((l) => l.expiry)}::timestamptz[],
                  ${links.map((l) => l.accessLimit)}::integer[], ${links.map((l) => l.active)}::boolean[])
    returning ${columns}
  `)

export const linksOfPackage = (reads: Reads, teamId: string, packageId: string) =>
  reads.rows<LinkRow>(sql`
    select ${columns} from links where team_id = ${teamId} and package_id = ${packageId} order by created_at, id
  `)

export const linksOfPackages = (reads: Reads, teamId: string, packageIds: readonly string[]) =>
  reads.rows<LinkRow>(sql`
    select ${columns} from links
     where team_id = ${teamId} and package_id = any(${packageIds}::uuid[])
     order by package_id, created_at, id
  `)

export interface OpenedLinkRow extends LinkRow {
  readonly expired: boolean
}

export const linkById = (reads: Reads, id: string) =>
  reads.row<OpenedLinkRow>(sql`
    select ${columns}, expiry is not null and expiry <= now() as expired from links where id = ${id}
  `)

const toMail = sql`email <> '' and active and deleted_at is null and (expiry is null or expiry > now())`

/** Links of a package that have somebody to be mailed to. */
export const linksToMail = (reads: Reads, teamId: string, packageId: string) =>
  reads.rows<{ id: string }>(sql`
    select id from links where team_id = ${teamId} and package_id = ${packageId} and ${toMail} order by created_at, id
  `)

export interface SealedLinkRow extends LinkRow {
  readonly secret_sealed: Buffer
}

/** A link with its secret. Undefined when there is nobody to be mailed to, or it gives no access any more. */
export const linkToMail = (reads: Reads, teamId: string, packageId: string, id: string) =>
  reads.row<SealedLinkRow>(sql`
    select ${columns}, secret_sealed from links
     where id = ${id} and team_id = ${teamId} and package_id = ${packageId} and ${toMail}
  `)

export interface LinkChange {
  readonly email?: string | undefined
  readonly passwordSealed?: Buffer | null | undefined
  readonly accessLimit?: number | undefined
  readonly expiry?: Date | null | undefined
  readonly active?: boolean | undefined
}

/** Returns false when the package has no such link, or it was deleted. */
export const updateLinkRow = async (
  tx: Tx,
  teamId: string,
  packageId: string,
  id: string,
  change: LinkChange,
): Promise<boolean> =>
  (await tx.run(sql`
    update links
       set email = coalesce(${change.email}, email),
           password_sealed = case when ${change.passwordSealed !== undefined}::boolean
                                  then ${change.passwordSealed}::bytea else password_sealed end,
           access_limit = coalesce(${change.accessLimit}, access_limit),
           expiry = case when ${change.expiry !== undefined}::boolean then ${change.expiry}::timestamptz else expiry end,
           active = coalesce(${change.active}, active)
     where id = ${id} and team_id = ${teamId} and package_id = ${packageId} and deleted_at is null
  `)) === 1

/** Blocks a link for good; its record stays. Returns false when the package has no such link. */
export const blockLink = async (tx: Tx, teamId: string, packageId: string, id: string): Promise<boolean> =>
  (await tx.run(sql`
    update links set active = false, deleted_at = coalesce(deleted_at, now())
     where id = ${id} and team_id = ${teamId} and package_id = ${packageId}
  `)) === 1

export const accessNoted = async (reads: Reads, linkId: string, tokenId: string): Promise<boolean> =>
  (await reads.row(sql`select 1 from link_accesses where link_id = ${linkId} and token_id = ${tokenId}`)) !== undefined

/** Notes that a read token is used for the first time. Returns false when it was used before. */
export const noteAccess = async (tx: Tx, teamId: string, linkId: string, tokenId: string): Promise<boolean> =>
  (await tx.run(sql`
    insert into link_accesses (team_id, link_id, token_id) values (${teamId}, ${linkId}, ${tokenId})
    on conflict (link_id, token_id) do nothing
  `)) === 1

/** Counts one access. Returns false when the link has been used as often as it allows. */
export const countAccess = async (tx: Tx, linkId: string): Promise<boolean> =>
  (await tx.run(sql`
    update links set access_count = access_count + 1, last_access_at = now()
     where id = ${linkId} and (access_limit = 0 or access_count < access_limit)
  `)) === 1
