import { psql } from '@longshore/stack/postgres'

/**
 * Fills a Team with packages of four years, by bulk SQL: 1 % new, 6 % finalized, 88 % expired, 5 % archived; 50 tags and
 * 3,000 senders of very different weight, 100 Portals, 20 Teamspaces, sizes log-normal. The same number of packages is
 * always the same list. Triggers and indexes are off meanwhile; the counts are for `operate recount` to make.
 */
export async function fillTeam(databaseUrl: string, teamId: string, packages: number): Promise<void> {
  await psql(databaseUrl, things(teamId), 60)
  const indexes = await psql(databaseUrl, listIndexes, 10)
  const names = [...indexes.matchAll(/^CREATE INDEX (\w+)/gm)].map(([, name]) => name)
  await psql(databaseUrl, `drop index ${names.join(', ')}`, 60)
  await psql(
    databaseUrl,
    `set session_replication_role = replica; select setseed(0.4); ${rows(teamId, packages)}`,
    3_600,
  )
  for (const index of indexes.trim().split('\n')) {
    await psql(databaseUrl, `set maintenance_work_mem = '1GB'; ${index.replace(' ON ONLY ', ' ON ')}`, 3_600)
  }
  // Not inside a transaction, as the statements above are.
  await psql(databaseUrl, 'vacuum (analyze) packages', 3_600)
}

/** Which of so many packages has a word and a number in its name that no other has. */
export const oneOf = (packages: number): number => Math.floor(packages / 2) + 3

const listIndexes = `
  select pg_get_indexdef(i.indexrelid)
    from pg_index i join pg_class c on c.oid = i.indrelid
   where c.relname = 'packages' and not i.indisprimary`

const things = (teamId: string) => `
  insert into tags (team_id, id, name) select '${teamId}', new_id(), 'tag ' || i from generate_series(1, 50) i;
  insert into teamspaces (team_id, id, name) select '${teamId}', new_id(), 'Space ' || i from generate_series(1, 20) i;
  insert into portals (team_id, id, name, subdomain)
  select '${teamId}', new_id(), 'Portal ' || i, 'portal-' || i from generate_series(1, 100) i`

// A power of a random number favours the first of a list: the heaviest of 50 tags has a quarter of all that are tagged.
const rows = (teamId: string, packages: number) => `
  with lists as materialized (
    select (select array_agg(id order by id) from tags where team_id = '${teamId}') as tags,
           (select array_agg(id order by id) from teamspaces where team_id = '${teamId}') as spaces,
           (select array_agg(id order by id) from portals where team_id = '${teamId}') as portals,
           array['dailies', 'rushes', 'trailer', 'feature', 'sound', 'grading', 'stills', 'poster'] as kinds,
           array['Harbour', 'Lantern', 'Meridian', 'Northlight', 'Orchard', 'Quayside', 'Saltmarsh', 'Windrose'] as films
  ), thrown as (
    select i, now() - interval '4 years' * (1 - i::float8 / ${packages}) - interval '1 minute' as created_at,
           random() as kept, random() as fate, random() as tag, random() as space, random() as sender, random() as portal,
           exp(18 + 2.5 * sqrt(-2 * ln(1 - random())) * cos(2 * pi() * random())) as bytes
      from generate_series(1, ${packages}) i
  ), settled as (
    select *, created_at + make_interval(days => case when kept < 0.86 then 10 when kept < 0.94 then 30 else 365 end)
             + interval '1 day' * fate * (kept > 0.9)::integer as ends
      from thrown
  ), judged as (
    select *,
           case when created_at > now() - interval '1 year' and fate < 0.04 then 'new'
                when kept > 0.955 or ends > now() then 'finalized'
                when fate > 0.945 then 'archived'
                else 'expired' end as state
      from settled
  )
  insert into packages (team_id, id, portal_id, teamspace_id, tag_id, name, description, state, sender, recipients,
                        unlimited_storage, expiry, size, total_files, downloaded_bytes, storage_location,
                        created_at, updated_at)
  select '${teamId}',
         encode(set_bit(set_bit(overlay(uuid_send(gen_random_uuid())
           placing substring(int8send(floor(extract(epoch from created_at) * 1000)::bigint) from 3) from 1 for 6),
           52, 1), 53, 1), 'hex')::uuid,
         case when portal < 0.1 then portals[1 + floor(100 * power(portal * 10, 2))::integer] end,
         case when space < 0.5 then spaces[1 + floor(20 * power(space * 2, 2))::integer] end,
         case when tag < 0.6 then tags[1 + floor(50 * power(tag / 0.6, 3))::integer] end,
         films[1 + i % 8] || ' ' || to_char(created_at, 'YYYY-MM-DD') || ' ' || kinds[1 + i / 8 % 8] || ' reel ' ||
           lpad(i::text, 8, '0') || case when i = ${oneOf(packages)} then ' Ypsilanti' else '' end,
         '', state,
         'sender-' || floor(3000 * power(sender, 3))::integer || '@example.test', '{}',
         kept > 0.955,
         case when kept > 0.955 then null when state in ('new', 'finalized') then greatest(ends, now() + interval '1 day')
              else ends end,
         case when state = 'new' then 0 else bytes::bigint end, case when state = 'new' then 0 else 3 end,
         case when state = 'new' then 0 else floor(bytes * fate * 3)::bigint end, 'bench', created_at, created_at
    from judged, lists`
