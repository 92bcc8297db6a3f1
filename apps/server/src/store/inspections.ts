import { type Reads, sql, type Tx } from '#platform/db'
import { onlyThese, type ScanState } from './files.ts'

/** A stored file that nobody has read yet. */
export interface UninspectedFile {
  readonly team_id: string
  readonly package_id: string
  readonly id: string
  readonly path: string
  readonly name: string
  readonly size: number
  readonly object_key: string
  readonly sha256: Buffer | null
  readonly crc32: Buffer | null
}

/** Takes files that are to be inspected now, the longest waiting first. For so many seconds nobody else takes them. */
export const takeUninspected = (
  tx: Tx,
  taking: { readonly limit: number; readonly above: number; readonly upTo: number; readonly leaseSeconds: number },
) =>
  tx.rows<UninspectedFile>(sql`
    update files f
       set inspect_after = now() + make_interval(secs => ${taking.leaseSeconds})
      from (select team_id, package_id, id from files
             where state = 'finalized' and kind = 'file' and inspected_at is null and inspect_after <= now()
               and size > ${taking.above} and size <= ${taking.upTo}
             order by inspect_after
             limit ${taking.limit}
               for update skip locked) t
     where f.team_id = t.team_id and f.package_id = t.package_id and f.id = t.id
    returning f.team_id, f.package_id, f.id, f.path, f.name, f.size, f.object_key, f.sha256, f.crc32
  `)

/** Moves the time ahead at which others may take these files, or at which they are tried again. */
export const postponeInspection = (tx: Tx, files: readonly UninspectedFile[], seconds: number) =>
  tx.run(sql`
    update files f
       set inspect_after = now() + make_interval(secs => ${seconds})
      from unnest(${files.map((file) => file.team_id)}::uuid[], ${files.map((file) => file.package_id)}::uuid[],
                  ${files.map((file) => file.id)}::uuid[]) as t (team_id, package_id, id)
     where f.team_id = t.team_id and f.package_id = t.package_id and f.id = t.id and f.inspected_at is null
  `)

export interface Inspected {
  readonly id: string
  readonly sha256: Buffer | null
  readonly crc32: Buffer | null
  readonly scan: ScanState
  readonly damaged: boolean
}

/** Notes what was found in files of one package. Answers which were not inspected, or removed, before. */
export const noteInspected = async (
  tx: Tx,
  teamId: string,
  packageId: string,
  found: readonly Inspected[],
): Promise<ReadonlySet<string>> => {
  const noted = await tx.rows<{ id: string }>(sql`
    update files f
       set inspected_at = now(), sha256 = coalesce(f.sha256, r.sha256), crc32 = coalesce(f.crc32, r.crc32),
           scan = r.scan, virus_detected = r.scan = 'infected', damaged = r.damaged, updated_at = now()
      from unnest(${found.map((file) => file.id)}::uuid[], ${found.map((file) => file.sha256)}::bytea[],
                  ${found.map((file) => file.crc32)}::bytea[], ${found.map((file) => file.scan)}::text[],
                  ${found.map((file) => file.damaged)}::boolean[])
        as r (id, sha256, crc32, scan, damaged)
     where f.team_id = ${teamId} and f.package_id = ${packageId} and f.id = r.id and f.inspected_at is null
       and ${onlyThese(found)}
    returning f.id
  `)
  return new Set(noted.map((file) => file.id))
}

/** Whether every file of a package was inspected, and whether something is wrong with one. Of live rows only. */
export const inspectionOf = async (reads: Reads, teamId: string, packageId: string) =>
  (await reads.row<{ complete: boolean; flagged: boolean }>(sql`
    select not exists (
             select 1 from files f
              where f.team_id = ${teamId} and f.package_id = ${packageId} and f.kind = 'file' and f.inspected_at is null
           ) as complete,
           exists (
             select 1 from files f
              where f.team_id = ${teamId} and f.package_id = ${packageId} and (f.damaged or f.virus_detected)
           ) as flagged
  `)) ?? { complete: false, flagged: false }
