-- Up Migration

-- Names and paths of files are compared byte by byte, so their columns are collated "C": a range over
-- "everything below this folder" is then one index scan, and two names that differ in any byte are two names.

create table users (
  id uuid primary key,
  email text not null,
  name text not null,
  password_hash text not null,
  time_zone text not null default 'UTC',
  primary_team_id uuid,
  preferred_team_id uuid,
  -- Raised to end every token that was issued before.
  token_serial integer not null default 0,
  -- The one token that outlived the last raise: of the session in which the password was changed.
  surviving_token text,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now()
);
create unique index users_email on users (lower(email));

create table email_changes (
  user_id uuid primary key references users on delete cascade,
  email text not null,
  token_hash bytea not null unique,
  expires_at timestamptz(3) not null
);

create table setup_links (
  token_hash bytea primary key,
  expires_at timestamptz(3) not null
);

create table teams (
  id uuid primary key,
  name text not null,
  subdomain text not null unique,
  custom_expiry_enabled boolean not null default true,
  custom_expiry_default integer not null default 10,
  download_limit_enabled boolean not null default false,
  download_limit_default integer not null default 0,
  max_email_recipients integer not null default 100,
  unlimited_storage_allowed boolean not null default true,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now()
);

create table memberships (
  team_id uuid not null references teams on delete cascade,
  id uuid not null,
  user_id uuid not null references users on delete cascade,
  role text not null check (role in ('owner', 'admin', 'integration_manager', 'member')),
  created_at timestamptz(3) not null default now(),
  primary key (team_id, id),
  unique (team_id, user_id)
);
create index memberships_of_user on memberships (user_id);

create table api_keys (
  id uuid primary key,
  team_id uuid not null references teams on delete cascade,
  created_by uuid not null references users on delete cascade,
  key_hash bytea not null unique,
  name text not null default '',
  description text not null default '',
  -- Null: never expires.
  expiry timestamptz(3),
  state text not null check (state in ('active', 'inactive', 'suspended')),
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  last_request_at timestamptz(3)
);
create index api_keys_of_team on api_keys (team_id, created_at);

create table tags (
  team_id uuid not null references teams on delete cascade,
  id uuid not null,
  name text not null,
  active boolean not null default true,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  primary key (team_id, id),
  unique (team_id, name)
);

create table packages (
  team_id uuid not null,
  id uuid not null,
  portal_id uuid,
  teamspace_id uuid,
  tag_id uuid,
  custom_metadata_id uuid,
  name text not null,
  description text not null,
  state text not null default 'new' check (state in ('new', 'finalized', 'expired', 'archived')),
  sender text not null,
  recipients text[] not null,
  access_limit integer not null default 0,
  password_sealed bytea,
  unlimited_storage boolean not null default false,
  -- Null: never (unlimited storage).
  expiry timestamptz(3),
  custom_expiry boolean not null default false,
  chunk_size bigint not null default 0,
  size bigint not null default 0,
  total_files integer not null default 0,
  downloads integer not null default 0,
  contains_virus boolean not null default false,
  storage_location text not null,
  token_serial integer not null default 0,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  active_at timestamptz(3) not null default now(),
  finalized_at timestamptz(3),
  expired_at timestamptz(3),
  primary key (team_id, id)
) partition by hash (team_id);

do $$
begin
  for i in 0..63 loop
    execute format('create table packages_p%s partition of packages for values with (modulus 64, remainder %s)',
      lpad(i::text, 2, '0'), i);
  end loop;
end
$$;

create index packages_due on packages (expiry) where state = 'finalized';
create index packages_open on packages (active_at) where state = 'new';

create table files (
  team_id uuid not null,
  package_id uuid not null,
  id uuid not null,
  kind text not null check (kind in ('file', 'directory')),
  path text collate "C" not null,
  name text collate "C" not null,
  -- Null while the sender has not said it.
  size bigint,
  last_modified timestamptz(3) not null,
  chunk_size bigint not null,
  state text not null check (state in ('new', 'uploading', 'completing', 'finalized')),
  single_put boolean not null default false,
  object_key text,
  upload_id text,
  -- Written down before the store is asked to join the parts: what the object must be if it happened.
  expected_etag text,
  -- Tells a repeated finalize from another one.
  content_digest bytea,
  sha256 bytea,
  crc32 bytea,
  virus_detected boolean not null default false,
  scan text not null default 'pending' check (scan in ('pending', 'clean', 'infected', 'not_scanned')),
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  primary key (team_id, package_id, id),
  unique (team_id, package_id, path, name)
);

create table links (
  id uuid primary key,
  team_id uuid not null,
  package_id uuid not null,
  email text not null default '',
  secret_hash bytea not null,
  -- The secret itself, sealed: the mail that carries it is written after the link is made, perhaps more than once.
  secret_sealed bytea not null,
  password_sealed bytea,
  -- Null: as long as the package.
  expiry timestamptz(3),
  access_limit integer not null default 0,
  access_count integer not null default 0,
  active boolean not null default true,
  deleted_at timestamptz(3),
  created_at timestamptz(3) not null default now()
);
create index links_of_package on links (team_id, package_id, created_at);

create table link_accesses (
  team_id uuid not null,
  link_id uuid not null references links on delete cascade,
  token_id text not null,
  accessed_at timestamptz(3) not null default now(),
  primary key (link_id, token_id)
);

create table events (
  day date not null default current_date,
  id uuid not null,
  team_id uuid not null,
  package_id uuid not null,
  type text not null,
  event_time timestamptz(3) not null default now(),
  object jsonb not null,
  primary key (day, id),
  unique (day, package_id, type)
) partition by range (day);

-- Days that nobody made a partition for end here, so that no change ever fails for want of one.
create table events_other partition of events default;

create function make_event_partitions(days integer) returns void language plpgsql as $$
declare
  wanted date;
  partition text;
begin
  for ahead in 0..days loop
    wanted := current_date + ahead;
    partition := format('events_%s', to_char(wanted, 'YYYYMMDD'));
    -- A day whose events already went into the default partition stays there: they would have to be moved.
    if to_regclass(partition) is null and not exists (select 1 from events_other where day = wanted) then
      execute format('create table %I partition of events for values from (%L) to (%L)', partition, wanted, wanted + 1);
    end if;
  end loop;
end
$$;

create function drop_event_partitions(older_than_days integer) returns void language plpgsql as $$
declare
  old text;
begin
  for old in
    select c.relname
      from pg_inherits i join pg_class c on c.oid = i.inhrelid
     where i.inhparent = 'events'::regclass and c.relname ~ '^events_[0-9]{8}$'
       and to_date(right(c.relname, 8), 'YYYYMMDD') < current_date - older_than_days
  loop
    execute format('drop table %I', old);
  end loop;
  delete from events_other where day < current_date - older_than_days;
end
$$;

create table idempotency_keys (
  credential text not null,
  key text not null,
  request_hash bytea not null,
  reply_sealed bytea,
  created_at timestamptz(3) not null default now(),
  primary key (credential, key)
);
create index idempotency_keys_age on idempotency_keys (created_at);

-- Down Migration

drop function make_event_partitions, drop_event_partitions;
drop table idempotency_keys, events, link_accesses, links, files, packages, tags, api_keys, memberships, teams,
  setup_links, email_changes, users;
