-- Up Migration

-- Transfers that bring files from a storage into a package. Of those `folder` is where they come from.
alter table transfers
  add column direction text not null default 'export' check (direction in ('import', 'export')),
  -- What is wanted, below `folder`: files, folders with a slash at their end, or an empty text for all of it.
  add column paths text[] check ((paths is not null) = (direction = 'import')),
  -- Whether the package is finalized when all of it has arrived.
  add column finalize boolean not null default false,
  -- Whether all that is wanted is in the list of the package by now.
  add column listed boolean not null default false;

-- Files that an import has put into the list of its package, until it is complete, and which object each of them is.
create table import_files (
  team_id uuid not null,
  transfer_id uuid not null,
  file_id uuid not null,
  source_etag text not null,
  primary key (team_id, transfer_id, file_id),
  foreign key (team_id, transfer_id) references transfers on delete cascade
);

-- Down Migration

drop table import_files;
delete from transfers where direction = 'import';
alter table transfers drop column direction, drop column paths, drop column finalize, drop column listed;
