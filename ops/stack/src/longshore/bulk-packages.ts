import { PutObjectCommand } from '@aws-sdk/client-s3'
import { s3Client } from '#bucket'
import { psql } from '#postgres'
import type { Stack } from '#stack'

/** A finalized package of one file with one link, as its rows say. The secret of the link is the package's id. */
export interface BulkPackage {
  readonly id: string
  readonly fileId: string
  readonly linkId: string
  readonly key: string
}

const rowsAtOnce = 10_000

/**
 * Writes finalized packages straight into the database, by the ten thousand: the calls that make one take milliseconds.
 * Nobody was told of them, so they have no events; their name says so.
 */
export async function insertPackages(
  databaseUrl: string,
  wish: { readonly teamId: string; readonly bucket: string; readonly count: number; readonly expiry: Date },
): Promise<BulkPackage[]> {
  const made: BulkPackage[] = []
  for (let left = wish.count; left > 0; left -= rowsAtOnce) {
    const rows = await psql(databaseUrl, insertion({ ...wish, count: Math.min(left, rowsAtOnce) }))
    for (const row of rows.trim().split('\n')) {
      const [id = '', fileId = '', linkId = '', key = ''] = row.split('|')
      made.push({ id, fileId, linkId, key })
    }
  }
  return made
}

const insertion = ({ teamId, bucket, count, expiry }: Parameters<typeof insertPackages>[1]) => `
  with made as materialized (
    select new_id() as id, new_id() as file_id, new_id() as link_id, replace(gen_random_uuid()::text, '-', '') as nonce
      from generate_series(1, ${count})
  ), package as (
    insert into packages (team_id, id, name, description, state, sender, recipients, expiry, storage_location, size,
                          total_files, finalized_at)
    select '${teamId}', id, 'made by sql', '', 'finalized', 'sender@example.test', '{}', '${expiry.toISOString()}',
           '${bucket}', 1, 1, now()
      from made
  ), link as (
    insert into links (id, team_id, package_id, secret_hash, secret_sealed)
    select link_id, '${teamId}', id, sha256(id::text::bytea), '' from made
  ), file as (
    insert into files (team_id, package_id, id, kind, path, name, size, last_modified, chunk_size, state, single_put,
                       object_key)
    select '${teamId}', id, file_id, 'file', '', 'note.txt', 1, now(), 5242880, 'finalized', true,
           concat_ws('/', lpad(to_hex(object_slice(id)), 2, '0'), '${teamId}', id, file_id, nonce)
      from made
    returning package_id, object_key
  )
  select made.id, made.file_id, made.link_id, file.object_key from made join file on file.package_id = made.id`

// Requests at the same time: more only wait for the one radosgw.
const lanes = 24

/** Stores one byte under each of the keys. */
export async function storeBytes(stack: Stack, bucket: string, keys: readonly string[]): Promise<void> {
  const client = s3Client(stack.s3.endpoint, stack.s3.janitor)
  const waiting = keys.values()
  const lane = async () => {
    for (const key of waiting) {
      await client.send(new PutObjectCommand({ Bucket: bucket, Key: key, Body: 'x', ContentLength: 1 }))
    }
  }
  try {
    await Promise.all(Array.from({ length: lanes }, lane))
  } finally {
    client.destroy()
  }
}
