import { newId } from '@longshore/kit/ids'
import { type Reads, sql, type Tx } from '#platform/db'
import type { PackageState } from '#store/packages'

/** A package as far as lists care. */
export interface PackageFacts {
  readonly id: string
  readonly portal_id: string | null
  readonly teamspace_id: string | null
  readonly tag_id: string | null
  readonly name: string
  readonly state: PackageState
  readonly sender: string
  readonly created_at: Date
  readonly finalized_at: Date | null
  readonly expiry: Date | null
  readonly size: number
  readonly downloaded_bytes: number
}

/** Rows put into the table as they are given, without any of the calls that make packages. */
export const insertManyPackages = (tx: Tx, teamId: string, given: readonly Omit<PackageFacts, 'id'>[]) =>
  tx.run(sql`
    insert into packages (team_id, id, portal_id, teamspace_id, tag_id, name, state, sender, created_at, finalized_at,
                          expiry, size, downloaded_bytes, unlimited_storage, description, recipients, storage_location)
    select ${teamId}, g.*, g.expiry is null, '', '{}', 'test'
      from unnest(${given.map(() => newId())}::uuid[], ${given.map((g) => g.portal_id)}::uuid[],
                  ${given.map((g) => g.teamspace_id)}::uuid[], ${given.map((g) => g.tag_id)}::uuid[],
                  ${given.map((g) => g.name)}::text[], ${given.map((g) => g.state)}::text[],
                  ${given.map((g) => g.sender)}::text[], ${given.map((g) => g.created_at)}::timestamptz[],
                  ${given.map((g) => g.finalized_at)}::timestamptz[], ${given.map((g) => g.expiry)}::timestamptz[],
                  ${given.map((g) => g.size)}::bigint[], ${given.map((g) => g.downloaded_bytes)}::bigint[])
           as g (id, portal_id, teamspace_id, tag_id, name, state, sender, created_at, finalized_at, expiry, size,
                 downloaded_bytes)
  `)

export const factsOfTeam = (reads: Reads, teamId: string) =>
  reads.rows<PackageFacts>(sql`
    select id, portal_id, teamspace_id, tag_id, name, state, sender, created_at, finalized_at, expiry, size,
           downloaded_bytes
      from packages where team_id = ${teamId}
  `)
