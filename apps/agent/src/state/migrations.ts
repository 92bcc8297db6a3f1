/** What the state was and is, one step a version. A step that was published is never changed. */
export const migrations: readonly string[] = [
  `
  create table transfers (
    seq          integer primary key,
    id           text not null unique,
    direction    text not null check (direction in ('up', 'down')),
    type         text not null check (type in ('team', 'portal', 'link')),
    state        text not null check (state in ('transferring', 'paused', 'idle', 'complete', 'error')),
    package_id   text not null,
    name         text not null,
    priority     integer not null,
    place        integer not null, -- in the queue; the lowest is its front
    size         integer not null,
    progress     integer not null,
    total_files  integer not null,
    files_done   integer not null,
    listed       integer not null, -- 1 once all items are known
    error        text,             -- JSON
    plan         text not null,    -- JSON: what was asked for
    secrets      text not null,    -- JSON: tokens and passwords to go on with
    created_at   text not null,
    updated_at   text not null
  ) strict;
  create index transfers_of_direction on transfers (direction, state, place);

  create table items (
    transfer      integer not null references transfers (seq) on delete cascade,
    n             integer not null,
    kind          text not null check (kind in ('file', 'directory')),
    name          text not null,
    path          text not null,
    size          integer not null,
    last_modified text not null,
    state         text not null check (state in ('pending', 'transferring', 'complete', 'error', 'skipped')),
    progress      integer not null,
    error         text,             -- JSON
    local         text not null,    -- up: where it is on this machine
    identity      text not null,    -- up: what it was when it was listed
    file_id       text not null,    -- down: what the package calls it
    sha256        text,             -- down: from the waybill
    primary key (transfer, n)
  ) strict, without rowid;
  create unique index items_by_place on items (transfer, path, name);

  create table notes (
    transfer integer not null references transfers (seq) on delete cascade,
    n        integer not null,
    notes    text not null, -- JSON: notes of the engine that were written together
    primary key (transfer, n)
  ) strict, without rowid;

  create table settings (
    name  text primary key,
    value text not null -- JSON
  ) strict, without rowid;

  create table session (
    only_one   integer primary key check (only_one = 1),
    user_token text not null
  ) strict;
  `,
  `
  create table automations (
    seq    integer primary key,
    id     text not null unique,
    type   text not null,
    fields text not null -- JSON: as it was created, with its passwords
  ) strict;

  create table sendings (
    id         text primary key, -- of the transfer, and the key of the call that opens its package
    automation text not null,    -- may be gone: what was begun is finished
    state      text not null check (state in ('noted', 'begun', 'over')),
    name       text not null,    -- up: of the folder or file; down: of the package
    mark       text not null,    -- up: what tells it from others of its name; down: the id of the package
    print      text not null,    -- up: of all that is in it
    order_json text not null,    -- JSON: what was asked for
    noted_at   text not null
  ) strict, without rowid;
  create index sendings_of_automation on sendings (automation, state);
  `,
  `
  -- Made anew for one more type: SQLite changes no check of a table that is there.
  create table new_transfers (
    seq          integer primary key,
    id           text not null unique,
    direction    text not null check (direction in ('up', 'down')),
    type         text not null check (type in ('team', 'portal', 'link', 'gateway')),
    state        text not null check (state in ('transferring', 'paused', 'idle', 'complete', 'error')),
    package_id   text not null,
    name         text not null,
    priority     integer not null,
    place        integer not null,
    size         integer not null,
    progress     integer not null,
    total_files  integer not null,
    files_done   integer not null,
    listed       integer not null,
    error        text,
    plan         text not null,
    secrets      text not null,
    created_at   text not null,
    updated_at   text not null
  ) strict;
  insert into new_transfers select * from transfers;
  drop table transfers;
  alter table new_transfers rename to transfers;
  create index transfers_of_direction on transfers (direction, state, place);

  -- Of a delivery: behind which file the page of the list begins that has its address.
  alter table items add column page text not null default '';

  create table gateways (
    seq         integer primary key,
    id          text not null unique, -- of the cloud connection
    name        text not null,
    permissions text not null check (permissions in ('r', 'w', 'rw')),
    root_path   text not null,        -- without links
    secret      text not null,
    user_id     integer,
    group_id    integer
  ) strict;
  `,
  `
  create table repeats (
    key      text primary key, -- the Idempotency-Key of a create call
    request  text not null,    -- a digest of what was asked
    id       text not null,    -- of what it makes
    reply    text,             -- JSON; null as long as nobody knows how it ended
    noted_at text not null
  ) strict, without rowid;
  `,
  `
  -- Down: when the last package was finalized, by the cloud's clock, of which nothing before it is left to fetch.
  alter table automations add column fetched_through text not null default '';
  create index sendings_by_mark on sendings (automation, mark);
  `,
]
