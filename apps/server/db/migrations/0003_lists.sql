-- Up Migration

create extension if not exists pg_trgm;
create extension if not exists btree_gin;

-- What lists sort and filter by, as columns of their own, so that a walk through an index need not look into the table.
-- Names and senders are compared without regard to case, and byte by byte from there.
alter table packages
  add column downloaded_bytes bigint not null default 0,
  add column received boolean not null generated always as (portal_id is not null) stored,
  add column name_key text collate "C" not null generated always as (lower(name)) stored,
  add column sender_key text collate "C" not null generated always as (lower(sender)) stored,
  -- How many days a package is kept from its creation, begun ones counted; the largest number for: without end.
  add column kept_days integer not null generated always as
    (coalesce(ceil(extract(epoch from expiry - created_at) / 86400)::integer, 2147483647)) stored,
  add column usage_total_bytes bigint not null generated always as (size + downloaded_bytes) stored;

-- One for each sort. The state comes before the key: a list of several states merges one ordered walk for each.
create index packages_created on packages (team_id, received, state, created_at, id) include (name_key);
create index packages_name on packages (team_id, received, state, name_key, id);
create index packages_size on packages (team_id, received, state, size, id);
create index packages_usage on packages (team_id, received, state, usage_total_bytes, id);
create index packages_expiry on packages (team_id, received, state, expiry, id);
create index packages_sender on packages (team_id, received, state, sender_key, id);
create index packages_state on packages (team_id, received, state, id);
create index packages_space on packages (team_id, received, state, teamspace_id nulls first, id);

-- One for each filter that a list is read by in the order of creation.
create index packages_of_tag on packages (team_id, received, tag_id, state, created_at, id)
  include (teamspace_id, name_key) where tag_id is not null;
create index packages_of_sender on packages (team_id, received, sender_key, state, created_at, id);
create index packages_of_space on packages (team_id, received, teamspace_id, state, created_at, id)
  where teamspace_id is not null;
create index packages_of_portal on packages (team_id, portal_id, state, created_at, id) where portal_id is not null;

-- Any part of a name.
create index packages_name_part on packages using gin (team_id, name_key gin_trgm_ops);

-- A walk that stays inside an index is only as good as the last vacuum; a fifth of a large table would be too late.
do $$
begin
  for i in 0..63 loop
    execute format('alter table packages_p%s set (autovacuum_vacuum_scale_factor = 0.02,
      autovacuum_vacuum_insert_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02)', lpad(i::text, 2, '0'));
  end loop;
end
$$;

-- How many packages there are of each kind: sums by what lists filter by, told apart by the columns that `shape` names.
-- Counts and the deltas that still wait beside them are together exact at every moment (docs/adr/0014-lists.md).
create table package_counts (
  team_id uuid not null,
  received boolean not null,
  -- Null: whichever Portal.
  portal_id uuid,
  shape text not null,
  state text not null,
  teamspace_id uuid,
  tag_id uuid,
  sender text collate "C",
  -- The day of creation, its month, or the day of expiry (null: never), in UTC.
  day date,
  kept_days integer,
  n bigint not null,
  constraint package_counts_key unique nulls not distinct
    (team_id, received, portal_id, shape, state, teamspace_id, tag_id, sender, day, kept_days)
) with (fillfactor = 70);

-- Changes that are not yet in the counts. Written in the transaction of the change, by the triggers below.
create table package_deltas (
  team_id uuid not null,
  id bigint generated always as identity,
  portal_id uuid,
  state text not null,
  teamspace_id uuid,
  tag_id uuid,
  sender text collate "C" not null,
  created_day date not null,
  expiry_day date,
  kept_days integer not null,
  n integer not null,
  primary key (team_id, id)
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 10000);

create function note_package_changes() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    insert into package_deltas
      (team_id, portal_id, state, teamspace_id, tag_id, sender, created_day, expiry_day, kept_days, n)
    select team_id, portal_id, state, teamspace_id, tag_id, sender_key, (created_at at time zone 'UTC')::date,
           (expiry at time zone 'UTC')::date, kept_days, count(*)
      from after_change
     group by 1, 2, 3, 4, 5, 6, 7, 8, 9;
  elsif tg_op = 'DELETE' then
    insert into package_deltas
      (team_id, portal_id, state, teamspace_id, tag_id, sender, created_day, expiry_day, kept_days, n)
    select team_id, portal_id, state, teamspace_id, tag_id, sender_key, (created_at at time zone 'UTC')::date,
           (expiry at time zone 'UTC')::date, kept_days, -count(*)
      from before_change
     group by 1, 2, 3, 4, 5, 6, 7, 8, 9;
  else
    -- What did not change adds up to nothing and is not written: most updates write no delta.
    insert into package_deltas
      (team_id, portal_id, state, teamspace_id, tag_id, sender, created_day, expiry_day, kept_days, n)
    select team_id, portal_id, state, teamspace_id, tag_id, sender_key, (created_at at time zone 'UTC')::date,
           (expiry at time zone 'UTC')::date, kept_days, sum(n)
      from (select *, -1 as n from before_change union all select *, 1 from after_change) changed
     group by 1, 2, 3, 4, 5, 6, 7, 8, 9
    having sum(n) <> 0;
  end if;
  return null;
end
$$;

-- A statement fires the triggers of the table that it names: of the whole, or of one partition.
do $$
declare
  named text;
begin
  for named in
    select 'packages' union all select 'packages_p' || lpad(i::text, 2, '0') from generate_series(0, 63) i
  loop
    execute format('create trigger count_added after insert on %I referencing new table as after_change
      for each statement execute function note_package_changes()', named);
    execute format('create trigger count_changed after update on %I
      referencing old table as before_change new table as after_change
      for each statement execute function note_package_changes()', named);
    execute format('create trigger count_removed after delete on %I referencing old table as before_change
      for each statement execute function note_package_changes()', named);
  end loop;
end
$$;

-- What was there before there were counts.
insert into package_deltas
  (team_id, portal_id, state, teamspace_id, tag_id, sender, created_day, expiry_day, kept_days, n)
select team_id, portal_id, state, teamspace_id, tag_id, sender_key, (created_at at time zone 'UTC')::date,
       (expiry at time zone 'UTC')::date, kept_days, count(*)
  from packages
 group by 1, 2, 3, 4, 5, 6, 7, 8, 9;

-- Bytes of files whose addresses were handed out, until they are added up in the package's row.
create table handed_out (
  team_id uuid not null,
  package_id uuid not null,
  bytes bigint not null,
  id bigint generated always as identity primary key
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 10000);

-- Who reads a list without pages just now: one for each Team. A reader that died frees it by the passing of time.
create table whole_list_readers (
  team_id uuid primary key,
  reader uuid not null,
  until timestamptz(3) not null
);

-- Down Migration

drop table whole_list_readers, handed_out, package_counts;
drop function note_package_changes cascade;
drop table package_deltas;
drop index packages_created, packages_name, packages_size, packages_usage, packages_expiry, packages_sender,
  packages_state, packages_space, packages_of_tag, packages_of_sender, packages_of_space, packages_of_portal,
  packages_name_part;
alter table packages drop column usage_total_bytes, drop column kept_days, drop column sender_key,
  drop column name_key, drop column received, drop column downloaded_bytes;
