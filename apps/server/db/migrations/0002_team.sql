-- Up Migration

-- A deleted tag keeps its row, so that no package has to be touched; its name is free again.
alter table tags drop constraint tags_team_id_name_key;
create unique index tags_name on tags (team_id, name) where active;
create unique index tags_id on tags (id);

alter table memberships
  add column approved boolean not null default true,
  add column invitation_accepted timestamptz(3) not null default now();

create table invitations (
  team_id uuid not null references teams on delete cascade,
  id uuid not null,
  email text not null,
  role text not null check (role in ('owner', 'admin', 'integration_manager', 'member')),
  token_hash bytea not null unique,
  expires_at timestamptz(3) not null,
  created_at timestamptz(3) not null default now(),
  primary key (team_id, id)
);
create unique index invitations_email on invitations (team_id, lower(email));

-- A deleted Teamspace keeps its row: its packages must not become visible to everybody by losing it.
create table teamspaces (
  team_id uuid not null references teams on delete cascade,
  id uuid not null,
  name text not null,
  deleted_at timestamptz(3),
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  primary key (team_id, id)
);
create unique index teamspaces_id on teamspaces (id);

create table teamspace_members (
  team_id uuid not null,
  teamspace_id uuid not null,
  membership_id uuid not null,
  primary key (team_id, teamspace_id, membership_id),
  foreign key (team_id, teamspace_id) references teamspaces on delete cascade,
  foreign key (team_id, membership_id) references memberships on delete cascade
);
create index teamspaces_of_member on teamspace_members (team_id, membership_id);

create table webhooks (
  team_id uuid not null references teams on delete cascade,
  id uuid not null,
  name text not null default '',
  active boolean not null,
  events text[] not null,
  method text not null check (method in ('POST', 'PUT')),
  url text not null,
  -- Headers often carry the receiver's password.
  headers_sealed bytea not null,
  -- JSON as it is sent, in the order it was given.
  body_extras text not null,
  secret_sealed bytea not null,
  previous_secret_sealed bytea,
  previous_secret_until timestamptz(3),
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  primary key (team_id, id)
);
create unique index webhooks_id on webhooks (id);

-- A deleted Portal keeps its row: it still says who may see the packages it received.
create table portals (
  team_id uuid not null references teams on delete cascade,
  id uuid not null,
  name text not null,
  subdomain text not null,
  message text not null default '',
  active boolean not null default false,
  has_access_code boolean not null default false,
  access_code_sealed bytea,
  recipients text[] not null default '{}',
  cc_recipients text[] not null default '{}',
  disable_upload_receipt boolean not null default false,
  has_download_password boolean not null default false,
  download_password_sealed bytea,
  -- -1: without end; 0: as the Team has it.
  custom_expiry_days integer not null default 0 check (custom_expiry_days between -1 and 65535),
  tag_id uuid,
  access_level text not null default 'regular' check (access_level in ('regular', 'private')),
  teamspace_id uuid,
  terms_of_service_enabled boolean not null default false,
  terms_of_service jsonb not null default '{}',
  package_size_restriction_enabled boolean not null default false,
  max_package_size bigint not null default 0,
  max_file_size bigint not null default 0,
  max_file_count integer not null default 0,
  file_type_restriction_enabled boolean not null default false,
  file_types text[] not null default '{}',
  expiry_enabled boolean not null default false,
  expiry timestamptz(3),
  primary_color text not null default '',
  logo_url text not null default '',
  background_url text not null default '',
  deleted_at timestamptz(3),
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  primary key (team_id, id)
);
create unique index portals_id on portals (id);
create unique index portals_subdomain on portals (subdomain) where deleted_at is null;

-- What the entries of an open package add up to, kept by every change of them: a Portal's limits are judged by it.
alter table packages
  add column declared_files integer not null default 0,
  add column declared_size bigint not null default 0;

create table portal_access (
  team_id uuid not null,
  portal_id uuid not null,
  membership_id uuid not null,
  primary key (team_id, portal_id, membership_id),
  foreign key (team_id, portal_id) references portals on delete cascade,
  foreign key (team_id, membership_id) references memberships on delete cascade
);
create index portals_of_member on portal_access (team_id, membership_id);

create table portal_webhooks (
  team_id uuid not null,
  portal_id uuid not null,
  webhook_id uuid not null,
  primary key (team_id, portal_id, webhook_id),
  foreign key (team_id, portal_id) references portals on delete cascade,
  foreign key (team_id, webhook_id) references webhooks on delete cascade
);
create index portals_of_webhook on portal_webhooks (team_id, webhook_id);

create table form_templates (
  team_id uuid not null references teams on delete cascade,
  id uuid not null,
  name text not null,
  delivery_formats text[] not null,
  disabled boolean not null default false,
  fields jsonb not null,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  primary key (team_id, id)
);
create unique index form_templates_id on form_templates (id);

create table forms (
  team_id uuid not null,
  id uuid not null,
  portal_id uuid not null,
  name text not null,
  delivery_formats text[] not null,
  form_template_id uuid,
  disabled boolean not null default false,
  fields jsonb not null,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  primary key (team_id, id),
  unique (team_id, portal_id),
  foreign key (team_id, portal_id) references portals on delete cascade
);
create unique index forms_id on forms (id);

create table form_responses (
  team_id uuid not null,
  id uuid not null,
  portal_id uuid not null,
  form_id uuid not null,
  delivery_formats text[] not null,
  -- Name, label, type and value of each field, as they were when the form was answered.
  answers jsonb not null,
  -- Null until a package takes it. A response belongs to one package only.
  package_id uuid,
  created_at timestamptz(3) not null default now(),
  primary key (team_id, id)
);
create index form_responses_unused on form_responses (created_at) where package_id is null;
create index form_responses_of_package on form_responses (team_id, package_id) where package_id is not null;

-- Mails that were sent, or are being sent: no job that runs twice sends twice. `subject_id` is what the mail is about: a
-- link, a package, an invitation. Kept longer than any job can live, then dropped.
create table notices_sent (
  subject_id uuid not null,
  kind text not null,
  recipient text not null,
  -- Until then one worker is at it; a worker that died frees it by the passing of time.
  claimed_until timestamptz(3) not null,
  settled_at timestamptz(3),
  -- The address does not exist: nothing was sent, and nothing will be.
  refused boolean not null default false,
  primary key (subject_id, kind, recipient)
);
create index notices_sent_age on notices_sent (claimed_until);

-- An identifier (UUIDv7) for rows that a statement makes by itself.
create function new_id() returns uuid language sql volatile as $$
  select encode(
    set_bit(set_bit(
      overlay(uuid_send(gen_random_uuid())
        placing substring(int8send(floor(extract(epoch from clock_timestamp()) * 1000)::bigint) from 3) from 1 for 6),
      52, 1), 53, 1),
    'hex')::uuid
$$;

-- What happens to a package once is written once; downloads, links and the like come again.
alter table events drop constraint events_day_package_id_type_key;
create unique index events_once on events (day, package_id, type)
  where type in ('package.created', 'package.finalized', 'package.expired', 'package.deleted');

-- What is to be sent to a webhook, and how it went. A pending row is itself the order to send it: whoever takes it
-- moves next_attempt_at ahead by the time it may need, and a row whose taker died falls due again by itself.
-- Daily partitions that are dropped, as with events.
create table deliveries (
  day date not null default current_date,
  id uuid not null,
  team_id uuid not null,
  webhook_id uuid not null,
  event_id uuid not null,
  event_type text not null,
  -- Null for a test.
  package_id uuid,
  -- The exact body; every attempt sends the same bytes.
  body text not null,
  state text not null default 'pending' check (state in ('pending', 'delivered', 'failed')),
  -- Those whose outcome is known.
  attempts integer not null default 0,
  response_status integer not null default 0,
  error text not null default '',
  created_at timestamptz(3) not null default now(),
  last_attempt_at timestamptz(3),
  next_attempt_at timestamptz(3) default now(),
  primary key (day, id)
) partition by range (day);
create table deliveries_other partition of deliveries default;
create index deliveries_due on deliveries (next_attempt_at) where state = 'pending';
create index deliveries_of_webhook on deliveries (team_id, webhook_id, id desc);
create index deliveries_undelivered on deliveries (team_id, webhook_id, id desc) where state <> 'delivered';

drop function make_event_partitions;
drop function drop_event_partitions;

create function make_day_partitions(parent text, days integer) returns void language plpgsql as $$
declare
  wanted date;
  partition text;
  astray boolean;
begin
  for ahead in 0..days loop
    wanted := current_date + ahead;
    partition := format('%s_%s', parent, to_char(wanted, 'YYYYMMDD'));
    continue when to_regclass(partition) is not null;
    -- A day whose rows already went into the default partition stays there: they would have to be moved.
    execute format('select exists (select 1 from %I where day = $1)', parent || '_other') into astray using wanted;
    if not astray then
      execute format('create table %I partition of %I for values from (%L) to (%L)', partition, parent, wanted, wanted + 1);
    end if;
  end loop;
end
$$;

create function drop_day_partitions(parent text, older_than_days integer) returns void language plpgsql as $$
declare
  old text;
begin
  for old in
    select c.relname
      from pg_inherits i join pg_class c on c.oid = i.inhrelid
     where i.inhparent = parent::regclass and c.relname ~ ('^' || parent || '_[0-9]{8}$')
       and to_date(right(c.relname, 8), 'YYYYMMDD') < current_date - older_than_days
  loop
    execute format('drop table %I', old);
  end loop;
  execute format('delete from %I where day < current_date - $1', parent || '_other') using older_than_days;
end
$$;

-- Down Migration

drop table notices_sent, deliveries, form_responses, forms, form_templates, portal_webhooks, portal_access, portals, webhooks,
  teamspace_members, teamspaces, invitations;
drop function new_id;
alter table packages drop column declared_files, drop column declared_size;
alter table memberships drop column approved, drop column invitation_accepted;
