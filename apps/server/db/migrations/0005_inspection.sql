-- Up Migration

-- Every stored file is read once by a worker: for its checksums and for viruses. A file that waits for it is itself the
-- order to do it: whoever takes it moves inspect_after ahead, and one whose taker died falls due again by itself.
alter table files
  add column inspect_after timestamptz(3) not null default now(),
  add column inspected_at timestamptz(3),
  -- The bytes in the store are not those that the sender named the checksums of.
  add column damaged boolean not null default false;
create index files_uninspected on files (inspect_after) where state = 'finalized' and kind = 'file' and inspected_at is null;

-- The file list of a finalized package never changes again, so it need not stay in rows: blocks of up to a thousand
-- entries, compressed. A package of a million files is a thousand rows here, one of ten files is one.
create table frozen_files (
  team_id uuid not null,
  package_id uuid not null,
  first_id uuid not null,
  last_id uuid not null,
  entries integer not null,
  data bytea not null,
  primary key (team_id, package_id, first_id)
);
-- Compressed already: pieces of it are never wanted, and trying again costs time.
alter table frozen_files alter column data set storage external;

-- Packages whose lists wait to be frozen: finalized, and every file of them inspected.
create table freezes (
  team_id uuid not null,
  package_id uuid not null,
  due timestamptz(3) not null,
  primary key (team_id, package_id)
);
create index freezes_due on freezes (due);

-- Down Migration

drop table freezes, frozen_files;
alter table files drop column inspect_after, drop column inspected_at, drop column damaged;
