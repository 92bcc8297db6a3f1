-- Up Migration

create table cloud_connections (
  team_id uuid not null references teams on delete cascade,
  id uuid not null,
  name text not null,
  provider text not null check (provider in ('s3', 'storage_gateway')),
  direction text not null check (direction in ('import', 'export', 'both')),
  target_directory text not null default '',
  -- Address and keys of a store.
  authorization_sealed bytea,
  -- Of what an agent registers with as a storage gateway.
  secret_hash bytea,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  primary key (team_id, id),
  check ((provider = 's3') = (authorization_sealed is not null)),
  check ((provider = 'storage_gateway') = (secret_hash is not null))
);
create unique index cloud_connections_id on cloud_connections (id);

create table portal_connections (
  team_id uuid not null,
  portal_id uuid not null,
  connection_id uuid not null,
  primary key (team_id, portal_id, connection_id),
  foreign key (team_id, portal_id) references portals on delete cascade,
  foreign key (team_id, connection_id) references cloud_connections on delete cascade
);
create index portals_of_connection on portal_connections (team_id, connection_id);

-- A package on its way to another store. The row is itself the order to carry it: whoever takes it moves `due` ahead, and
-- one whose taker died falls due again by itself.
create table transfers (
  team_id uuid not null references teams on delete cascade,
  id uuid not null,
  package_id uuid not null,
  -- Null where keys were given for this one transfer; also of a connection that was deleted since.
  connection_id uuid,
  provider text not null check (provider in ('s3', 'storage_gateway')),
  authorization_sealed bytea,
  -- Where the package goes, with the folder of its own. Fixed at the start: its name may change meanwhile.
  folder text not null,
  state text not null default 'pending' check (state in ('pending', 'started', 'complete', 'cancelled', 'error')),
  size bigint not null,
  progress bigint not null default 0,
  -- Files that are not sent, because a virus was found in them or because they are damaged.
  left_out integer not null default 0,
  error text not null default '',
  -- Counted up by whoever takes it: what an earlier one still has to say is not heard any more.
  run integer not null default 0,
  -- When there is next something to do for it; null when there is nothing.
  due timestamptz(3) default now(),
  -- Tries in a row that brought nothing.
  failures integer not null default 0,
  -- Every file up to this one, in the order of the list, needs nothing more.
  done_through uuid,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  primary key (team_id, id)
);
create unique index transfers_id on transfers (id);
create index transfers_of_package on transfers (team_id, package_id, id);
create index transfers_of_connection on transfers (connection_id) where state in ('pending', 'started');
create index transfers_due on transfers (due) where due is not null and provider = 's3';
create index transfers_of_gateway on transfers (connection_id, due) where due is not null and provider = 'storage_gateway';

-- What has to be remembered of files behind `done_through`: those that arrived ahead of others, and uploads that were
-- begun. Never more than are carried at once.
create table transfer_files (
  team_id uuid not null,
  transfer_id uuid not null,
  file_id uuid not null,
  target_key text not null,
  -- Null once it has arrived.
  upload_id text,
  primary key (team_id, transfer_id, file_id),
  foreign key (team_id, transfer_id) references transfers on delete cascade
);

-- Down Migration

drop table transfer_files, transfers, portal_connections, cloud_connections;
