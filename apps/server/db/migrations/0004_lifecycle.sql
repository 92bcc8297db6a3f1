-- Up Migration

-- The first part of a package's object keys (domain/uploads/object-key.ts), so that packages can be walked in the order
-- in which the store lists their objects.
create function object_slice(package_id uuid) returns integer language sql immutable parallel safe
  return get_byte(sha256(package_id::text::bytea), 0);
create index packages_by_key on packages (object_slice(id), team_id, id) where state in ('new', 'finalized');

-- How the store was held against the books, by the timetable or an operator, and what was found.
create table reconciliations (
  id uuid primary key,
  -- Whether what nobody owns was to be removed.
  repairing boolean not null,
  older_than_hours integer not null,
  -- Everything up to this key is done: a run that was interrupted goes on behind it.
  position text collate "C" not null default '',
  objects bigint not null default 0,
  files bigint not null default 0,
  orphans bigint not null default 0,
  orphan_bytes bigint not null default 0,
  orphan_uploads bigint not null default 0,
  removed bigint not null default 0,
  missing bigint not null default 0,
  foreign_objects bigint not null default 0,
  started_at timestamptz(3) not null default now(),
  touched_at timestamptz(3) not null default now(),
  finished_at timestamptz(3)
);
create index reconciliations_age on reconciliations (started_at);

-- Down Migration

drop table reconciliations;
drop index packages_by_key;
drop function object_slice;
