import { type Reads, sql, type Tx } from '#platform/db'
import type { PackageName } from '#store/packages'
import type { DeliveryFormat, FieldType } from './forms.ts'

/** One answer, with what its field was called when it was given. */
export interface Answer {
  readonly name: string
  readonly label: string
  readonly type: FieldType
  readonly value: string
}

export interface ResponseRow {
  readonly team_id: string
  readonly id: string
  readonly portal_id: string
  readonly form_id: string
  readonly delivery_formats: readonly DeliveryFormat[]
  readonly answers: readonly Answer[]
  readonly package_id: string | null
  readonly created_at: Date
}

export const insertResponse = (tx: Tx, response: Omit<ResponseRow, 'package_id' | 'created_at'>) =>
  tx.row<ResponseRow>(sql`
    insert into form_responses (team_id, id, portal_id, form_id, delivery_formats, answers)
    values (${response.team_id}, ${response.id}, ${response.portal_id}, ${response.form_id},
            ${response.delivery_formats}, ${JSON.stringify(response.answers)})
    returning *
  `)

/**
 * Gives a response of this Portal to a package: once, and within a day. Of two packages that ask at once, one gets it.
 * `used` when another package has it, `unknown` when the Portal has no such response or none any more.
 */
export async function takeResponse(
  tx: Tx,
  response: { readonly teamId: string; readonly portalId: string; readonly id: string },
  packageId: string,
): Promise<'taken' | 'used' | 'unknown'> {
  const taken = await tx.run(sql`
    update form_responses set package_id = ${packageId}
     where team_id = ${response.teamId} and id = ${response.id} and portal_id = ${response.portalId}
       and package_id is null and created_at > now() - interval '24 hours'
  `)
  if (taken === 1) return 'taken'
  const used = await tx.row(sql`
    select 1 from form_responses
     where team_id = ${response.teamId} and id = ${response.id} and portal_id = ${response.portalId}
       and package_id is not null
  `)
  return used === undefined ? 'unknown' : 'used'
}

export const responseOfPackage = (reads: Reads, teamId: string, packageId: string) =>
  reads.row<ResponseRow>(sql`select * from form_responses where team_id = ${teamId} and package_id = ${packageId}`)

export const deleteResponsesOf = (tx: Tx, packages: readonly PackageName[]) =>
  tx.run(sql`
    delete from form_responses r
     using unnest(${packages.map((pkg) => pkg.teamId)}::uuid[], ${packages.map((pkg) => pkg.packageId)}::uuid[])
             as w (team_id, package_id)
     where r.team_id = w.team_id and r.package_id = w.package_id
  `)

/** Drops answers that no package took within a day. */
export const forgetUnusedResponses = (tx: Tx) =>
  tx.run(sql`
    delete from form_responses where package_id is null and created_at < now() - interval '24 hours'
  `)
