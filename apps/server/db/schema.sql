CREATE EXTENSION IF NOT EXISTS btree_gin WITH SCHEMA public;

CREATE EXTENSION IF NOT EXISTS pg_trgm WITH SCHEMA public;

CREATE FUNCTION public.drop_day_partitions(parent text, older_than_days integer) RETURNS void
    LANGUAGE plpgsql
    AS $_$
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
$_$;

CREATE FUNCTION public.make_day_partitions(parent text, days integer) RETURNS void
    LANGUAGE plpgsql
    AS $_$
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
$_$;

CREATE FUNCTION public.new_id() RETURNS uuid
    LANGUAGE sql
    AS $$
  select encode(
    set_bit(set_bit(
      overlay(uuid_send(gen_random_uuid())
        placing substring(int8send(floor(extract(epoch from clock_timestamp()) * 1000)::bigint) from 3) from 1 for 6),
      52, 1), 53, 1),
    'hex')::uuid
$$;

CREATE FUNCTION public.note_package_changes() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
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

CREATE FUNCTION public.object_slice(package_id uuid) RETURNS integer
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN get_byte(sha256(((package_id)::text)::bytea), 0);

CREATE TABLE public.api_keys (
    id uuid NOT NULL,
    team_id uuid NOT NULL,
    created_by uuid NOT NULL,
    key_hash bytea NOT NULL,
    name text DEFAULT ''::text NOT NULL,
    description text DEFAULT ''::text NOT NULL,
    expiry timestamp(3) with time zone,
    state text NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    updated_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    last_request_at timestamp(3) with time zone,
    CONSTRAINT api_keys_state_check CHECK ((state = ANY (ARRAY['active'::text, 'inactive'::text, 'suspended'::text])))
);

CREATE TABLE public.archive_plans (
    team_id uuid NOT NULL,
    package_id uuid NOT NULL,
    kind text NOT NULL,
    format integer NOT NULL,
    data bytea NOT NULL
);
ALTER TABLE ONLY public.archive_plans ALTER COLUMN data SET STORAGE EXTERNAL;

CREATE TABLE public.cloud_connections (
    team_id uuid NOT NULL,
    id uuid NOT NULL,
    name text NOT NULL,
    provider text NOT NULL,
    direction text NOT NULL,
    target_directory text DEFAULT ''::text NOT NULL,
    authorization_sealed bytea,
    secret_hash bytea,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    updated_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    CONSTRAINT cloud_connections_check CHECK (((provider = 's3'::text) = (authorization_sealed IS NOT NULL))),
    CONSTRAINT cloud_connections_check1 CHECK (((provider = 'storage_gateway'::text) = (secret_hash IS NOT NULL))),
    CONSTRAINT cloud_connections_direction_check CHECK ((direction = ANY (ARRAY['import'::text, 'export'::text, 'both'::text]))),
    CONSTRAINT cloud_connections_provider_check CHECK ((provider = ANY (ARRAY['s3'::text, 'storage_gateway'::text])))
);

CREATE TABLE public.deliveries (
    day date DEFAULT CURRENT_DATE NOT NULL,
    id uuid NOT NULL,
    team_id uuid NOT NULL,
    webhook_id uuid NOT NULL,
    event_id uuid NOT NULL,
    event_type text NOT NULL,
    package_id uuid,
    body text NOT NULL,
    state text DEFAULT 'pending'::text NOT NULL,
    attempts integer DEFAULT 0 NOT NULL,
    response_status integer DEFAULT 0 NOT NULL,
    error text DEFAULT ''::text NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    last_attempt_at timestamp(3) with time zone,
    next_attempt_at timestamp(3) with time zone DEFAULT now(),
    CONSTRAINT deliveries_state_check CHECK ((state = ANY (ARRAY['pending'::text, 'delivered'::text, 'failed'::text])))
)
PARTITION BY RANGE (day);

CREATE TABLE public.deliveries_other (
    day date DEFAULT CURRENT_DATE NOT NULL,
    id uuid NOT NULL,
    team_id uuid NOT NULL,
    webhook_id uuid NOT NULL,
    event_id uuid NOT NULL,
    event_type text NOT NULL,
    package_id uuid,
    body text NOT NULL,
    state text DEFAULT 'pending'::text NOT NULL,
    attempts integer DEFAULT 0 NOT NULL,
    response_status integer DEFAULT 0 NOT NULL,
    error text DEFAULT ''::text NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    last_attempt_at timestamp(3) with time zone,
    next_attempt_at timestamp(3) with time zone DEFAULT now(),
    CONSTRAINT deliveries_state_check CHECK ((state = ANY (ARRAY['pending'::text, 'delivered'::text, 'failed'::text])))
);

CREATE TABLE public.email_changes (
    user_id uuid NOT NULL,
    email text NOT NULL,
    token_hash bytea NOT NULL,
    expires_at timestamp(3) with time zone NOT NULL
);

CREATE TABLE public.events (
    day date DEFAULT CURRENT_DATE NOT NULL,
    id uuid NOT NULL,
    team_id uuid NOT NULL,
    package_id uuid NOT NULL,
    type text NOT NULL,
    event_time timestamp(3) with time zone DEFAULT now() NOT NULL,
    object jsonb NOT NULL
)
PARTITION BY RANGE (day);

CREATE TABLE public.events_other (
    day date DEFAULT CURRENT_DATE NOT NULL,
    id uuid NOT NULL,
    team_id uuid NOT NULL,
    package_id uuid NOT NULL,
    type text NOT NULL,
    event_time timestamp(3) with time zone DEFAULT now() NOT NULL,
    object jsonb NOT NULL
);

CREATE TABLE public.files (
    team_id uuid NOT NULL,
    package_id uuid NOT NULL,
    id uuid NOT NULL,
    kind text NOT NULL,
    path text NOT NULL COLLATE pg_catalog."C",
    name text NOT NULL COLLATE pg_catalog."C",
    size bigint,
    last_modified timestamp(3) with time zone NOT NULL,
    chunk_size bigint NOT NULL,
    state text NOT NULL,
    single_put boolean DEFAULT false NOT NULL,
    object_key text,
    upload_id text,
    expected_etag text,
    content_digest bytea,
    sha256 bytea,
    crc32 bytea,
    virus_detected boolean DEFAULT false NOT NULL,
    scan text DEFAULT 'pending'::text NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    updated_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    inspect_after timestamp(3) with time zone DEFAULT now() NOT NULL,
    inspected_at timestamp(3) with time zone,
    damaged boolean DEFAULT false NOT NULL,
    CONSTRAINT files_kind_check CHECK ((kind = ANY (ARRAY['file'::text, 'directory'::text]))),
    CONSTRAINT files_scan_check CHECK ((scan = ANY (ARRAY['pending'::text, 'clean'::text, 'infected'::text, 'not_scanned'::text]))),
    CONSTRAINT files_state_check CHECK ((state = ANY (ARRAY['new'::text, 'uploading'::text, 'completing'::text, 'finalized'::text])))
);

CREATE TABLE public.form_responses (
    team_id uuid NOT NULL,
    id uuid NOT NULL,
    portal_id uuid NOT NULL,
    form_id uuid NOT NULL,
    delivery_formats text[] NOT NULL,
    answers jsonb NOT NULL,
    package_id uuid,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL
);

CREATE TABLE public.form_templates (
    team_id uuid NOT NULL,
    id uuid NOT NULL,
    name text NOT NULL,
    delivery_formats text[] NOT NULL,
    disabled boolean DEFAULT false NOT NULL,
    fields jsonb NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    updated_at timestamp(3) with time zone DEFAULT now() NOT NULL
);

CREATE TABLE public.forms (
    team_id uuid NOT NULL,
    id uuid NOT NULL,
    portal_id uuid NOT NULL,
    name text NOT NULL,
    delivery_formats text[] NOT NULL,
    form_template_id uuid,
    disabled boolean DEFAULT false NOT NULL,
    fields jsonb NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    updated_at timestamp(3) with time zone DEFAULT now() NOT NULL
);

CREATE TABLE public.freezes (
    team_id uuid NOT NULL,
    package_id uuid NOT NULL,
    due timestamp(3) with time zone NOT NULL
);

CREATE TABLE public.frozen_files (
    team_id uuid NOT NULL,
    package_id uuid NOT NULL,
    first_id uuid NOT NULL,
    last_id uuid NOT NULL,
    entries integer NOT NULL,
    data bytea NOT NULL
);
ALTER TABLE ONLY public.frozen_files ALTER COLUMN data SET STORAGE EXTERNAL;

CREATE TABLE public.handed_out (
    team_id uuid NOT NULL,
    package_id uuid NOT NULL,
    bytes bigint NOT NULL,
    id bigint NOT NULL
)
WITH (autovacuum_vacuum_scale_factor='0', autovacuum_vacuum_threshold='10000');

ALTER TABLE public.handed_out ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.handed_out_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.idempotency_keys (
    credential text NOT NULL,
    key text NOT NULL,
    request_hash bytea NOT NULL,
    reply_sealed bytea,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL
);

CREATE TABLE public.import_files (
    team_id uuid NOT NULL,
    transfer_id uuid NOT NULL,
    file_id uuid NOT NULL,
    source_etag text NOT NULL
);

CREATE TABLE public.invitations (
    team_id uuid NOT NULL,
    id uuid NOT NULL,
    email text NOT NULL,
    role text NOT NULL,
    token_hash bytea NOT NULL,
    expires_at timestamp(3) with time zone NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    CONSTRAINT invitations_role_check CHECK ((role = ANY (ARRAY['owner'::text, 'admin'::text, 'integration_manager'::text, 'member'::text])))
);

CREATE TABLE public.link_accesses (
    team_id uuid NOT NULL,
    link_id uuid NOT NULL,
    token_id text NOT NULL,
    accessed_at timestamp(3) with time zone DEFAULT now() NOT NULL
);

CREATE TABLE public.links (
    id uuid NOT NULL,
    team_id uuid NOT NULL,
    package_id uuid NOT NULL,
    email text DEFAULT ''::text NOT NULL,
    secret_hash bytea NOT NULL,
    secret_sealed bytea NOT NULL,
    password_sealed bytea,
    expiry timestamp(3) with time zone,
    access_limit integer DEFAULT 0 NOT NULL,
    access_count integer DEFAULT 0 NOT NULL,
    active boolean DEFAULT true NOT NULL,
    deleted_at timestamp(3) with time zone,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    last_access_at timestamp(3) with time zone
);

CREATE TABLE public.memberships (
    team_id uuid NOT NULL,
    id uuid NOT NULL,
    user_id uuid NOT NULL,
    role text NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    approved boolean DEFAULT true NOT NULL,
    invitation_accepted timestamp(3) with time zone DEFAULT now() NOT NULL,
    CONSTRAINT memberships_role_check CHECK ((role = ANY (ARRAY['owner'::text, 'admin'::text, 'integration_manager'::text, 'member'::text])))
);

CREATE TABLE public.migrations (
    id integer NOT NULL,
    name character varying(255) NOT NULL,
    run_on timestamp without time zone NOT NULL
);

CREATE SEQUENCE public.migrations_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;

ALTER SEQUENCE public.migrations_id_seq OWNED BY public.migrations.id;

CREATE TABLE public.notices_sent (
    subject_id uuid NOT NULL,
    kind text NOT NULL,
    recipient text NOT NULL,
    claimed_until timestamp(3) with time zone NOT NULL,
    settled_at timestamp(3) with time zone,
    refused boolean DEFAULT false NOT NULL
);

CREATE TABLE public.package_counts (
    team_id uuid NOT NULL,
    received boolean NOT NULL,
    portal_id uuid,
    shape text NOT NULL,
    state text NOT NULL,
    teamspace_id uuid,
    tag_id uuid,
    sender text COLLATE pg_catalog."C",
    day date,
    kept_days integer,
    n bigint NOT NULL
)
WITH (fillfactor='70');

CREATE TABLE public.package_deltas (
    team_id uuid NOT NULL,
    id bigint NOT NULL,
    portal_id uuid,
    state text NOT NULL,
    teamspace_id uuid,
    tag_id uuid,
    sender text NOT NULL COLLATE pg_catalog."C",
    created_day date NOT NULL,
    expiry_day date,
    kept_days integer NOT NULL,
    n integer NOT NULL
)
WITH (autovacuum_vacuum_scale_factor='0', autovacuum_vacuum_threshold='10000');

ALTER TABLE public.package_deltas ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.package_deltas_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.packages (
    team_id uuid NOT NULL,
    id uuid NOT NULL,
    portal_id uuid,
    teamspace_id uuid,
    tag_id uuid,
    custom_metadata_id uuid,
    name text NOT NULL,
    description text NOT NULL,
    state text DEFAULT 'new'::text NOT NULL,
    sender text NOT NULL,
    recipients text[] NOT NULL,
    access_limit integer DEFAULT 0 NOT NULL,
    password_sealed bytea,
    unlimited_storage boolean DEFAULT false NOT NULL,
    expiry timestamp(3) with time zone,
    custom_expiry boolean DEFAULT false NOT NULL,
    chunk_size bigint DEFAULT 0 NOT NULL,
    size bigint DEFAULT 0 NOT NULL,
    total_files integer DEFAULT 0 NOT NULL,
    downloads integer DEFAULT 0 NOT NULL,
    contains_virus boolean DEFAULT false NOT NULL,
    storage_location text NOT NULL,
    token_serial integer DEFAULT 0 NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    updated_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    active_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    finalized_at timestamp(3) with time zone,
    expired_at timestamp(3) with time zone,
    declared_files integer DEFAULT 0 NOT NULL,
    declared_size bigint DEFAULT 0 NOT NULL,
    downloaded_bytes bigint DEFAULT 0 NOT NULL,
    received boolean GENERATED ALWAYS AS ((portal_id IS NOT NULL)) STORED NOT NULL,
    name_key text GENERATED ALWAYS AS (lower(name)) STORED NOT NULL COLLATE pg_catalog."C",
    sender_key text GENERATED ALWAYS AS (lower(sender)) STORED NOT NULL COLLATE pg_catalog."C",
    kept_days integer GENERATED ALWAYS AS (COALESCE((ceil((EXTRACT(epoch FROM (expiry - created_at)) / (86400)::numeric)))::integer, 2147483647)) STORED NOT NULL,
    usage_total_bytes bigint GENERATED ALWAYS AS ((size + downloaded_bytes)) STORED NOT NULL,
    CONSTRAINT packages_state_check CHECK ((state = ANY (ARRAY['new'::text, 'finalized'::text, 'expired'::text, 'archived'::text])))
)
PARTITION BY HASH (team_id);

CREATE TABLE public.packages_p00 (
    team_id uuid NOT NULL,
    id uuid NOT NULL,
    portal_id uuid,
    teamspace_id uuid,
    tag_id uuid,
    custom_metadata_id uuid,
    name text NOT NULL,
    description text NOT NULL,
    state text DEFAULT 'new'::text NOT NULL,
    sender text NOT NULL,
    recipients text[] NOT NULL,
    access_limit integer DEFAULT 0 NOT NULL,
    password_sealed bytea,
    unlimited_storage boolean DEFAULT false NOT NULL,
    expiry timestamp(3) with time zone,
    custom_expiry boolean DEFAULT false NOT NULL,
    chunk_size bigint DEFAULT 0 NOT NULL,
    size bigint DEFAULT 0 NOT NULL,
    total_files integer DEFAULT 0 NOT NULL,
    downloads integer DEFAULT 0 NOT NULL,
    contains_virus boolean DEFAULT false NOT NULL,
    storage_location text NOT NULL,
    token_serial integer DEFAULT 0 NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    updated_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    active_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    finalized_at timestamp(3) with time zone,
    expired_at timestamp(3) with time zone,
    declared_files integer DEFAULT 0 NOT NULL,
    declared_size bigint DEFAULT 0 NOT NULL,
    downloaded_bytes bigint DEFAULT 0 NOT NULL,
    received boolean GENERATED ALWAYS AS ((portal_id IS NOT NULL)) STORED NOT NULL,
    name_key text GENERATED ALWAYS AS (lower(name)) STORED NOT NULL COLLATE pg_catalog."C",
    sender_key text GENERATED ALWAYS AS (lower(sender)) STORED NOT NULL COLLATE pg_catalog."C",
    kept_days integer GENERATED ALWAYS AS (COALESCE((ceil((EXTRACT(epoch FROM (expiry - created_at)) / (86400)::numeric)))::integer, 2147483647)) STORED NOT NULL,
    usage_total_bytes bigint GENERATED ALWAYS AS ((size + downloaded_bytes)) STORED NOT NULL,
    CONSTRAINT packages_state_check CHECK ((state = ANY (ARRAY['new'::text, 'finalized'::text, 'expired'::text, 'archived'::text])))
)
WITH (autovacuum_vacuum_scale_factor='0.02', autovacuum_vacuum_insert_scale_factor='0.02', autovacuum_analyze_scale_factor='0.02');

CREATE TABLE public.packages_p63 (
    team_id uuid NOT NULL,
    id uuid NOT NULL,
    portal_id uuid,
    teamspace_id uuid,
    tag_id uuid,
    custom_metadata_id uuid,
    name text NOT NULL,
    description text NOT NULL,
    state text DEFAULT 'new'::text NOT NULL,
    sender text NOT NULL,
    recipients text[] NOT NULL,
    access_limit integer DEFAULT 0 NOT NULL,
    password_sealed bytea,
    unlimited_storage boolean DEFAULT false NOT NULL,
    expiry timestamp(3) with time zone,
    custom_expiry boolean DEFAULT false NOT NULL,
    chunk_size bigint DEFAULT 0 NOT NULL,
    size bigint DEFAULT 0 NOT NULL,
    total_files integer DEFAULT 0 NOT NULL,
    downloads integer DEFAULT 0 NOT NULL,
    contains_virus boolean DEFAULT false NOT NULL,
    storage_location text NOT NULL,
    token_serial integer DEFAULT 0 NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    updated_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    active_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    finalized_at timestamp(3) with time zone,
    expired_at timestamp(3) with time zone,
    declared_files integer DEFAULT 0 NOT NULL,
    declared_size bigint DEFAULT 0 NOT NULL,
    downloaded_bytes bigint DEFAULT 0 NOT NULL,
    received boolean GENERATED ALWAYS AS ((portal_id IS NOT NULL)) STORED NOT NULL,
    name_key text GENERATED ALWAYS AS (lower(name)) STORED NOT NULL COLLATE pg_catalog."C",
    sender_key text GENERATED ALWAYS AS (lower(sender)) STORED NOT NULL COLLATE pg_catalog."C",
    kept_days integer GENERATED ALWAYS AS (COALESCE((ceil((EXTRACT(epoch FROM (expiry - created_at)) / (86400)::numeric)))::integer, 2147483647)) STORED NOT NULL,
    usage_total_bytes bigint GENERATED ALWAYS AS ((size + downloaded_bytes)) STORED NOT NULL,
    CONSTRAINT packages_state_check CHECK ((state = ANY (ARRAY['new'::text, 'finalized'::text, 'expired'::text, 'archived'::text])))
)
WITH (autovacuum_vacuum_scale_factor='0.02', autovacuum_vacuum_insert_scale_factor='0.02', autovacuum_analyze_scale_factor='0.02');

CREATE TABLE public.portal_access (
    team_id uuid NOT NULL,
    portal_id uuid NOT NULL,
    membership_id uuid NOT NULL
);

CREATE TABLE public.portal_connections (
    team_id uuid NOT NULL,
    portal_id uuid NOT NULL,
    connection_id uuid NOT NULL
);

CREATE TABLE public.portal_webhooks (
    team_id uuid NOT NULL,
    portal_id uuid NOT NULL,
    webhook_id uuid NOT NULL
);

CREATE TABLE public.portals (
    team_id uuid NOT NULL,
    id uuid NOT NULL,
    name text NOT NULL,
    subdomain text NOT NULL,
    message text DEFAULT ''::text NOT NULL,
    active boolean DEFAULT false NOT NULL,
    has_access_code boolean DEFAULT false NOT NULL,
    access_code_sealed bytea,
    recipients text[] DEFAULT '{}'::text[] NOT NULL,
    cc_recipients text[] DEFAULT '{}'::text[] NOT NULL,
    disable_upload_receipt boolean DEFAULT false NOT NULL,
    has_download_password boolean DEFAULT false NOT NULL,
    download_password_sealed bytea,
    custom_expiry_days integer DEFAULT 0 NOT NULL,
    tag_id uuid,
    access_level text DEFAULT 'regular'::text NOT NULL,
    teamspace_id uuid,
    terms_of_service_enabled boolean DEFAULT false NOT NULL,
    terms_of_service jsonb DEFAULT '{}'::jsonb NOT NULL,
    package_size_restriction_enabled boolean DEFAULT false NOT NULL,
    max_package_size bigint DEFAULT 0 NOT NULL,
    max_file_size bigint DEFAULT 0 NOT NULL,
    max_file_count integer DEFAULT 0 NOT NULL,
    file_type_restriction_enabled boolean DEFAULT false NOT NULL,
    file_types text[] DEFAULT '{}'::text[] NOT NULL,
    expiry_enabled boolean DEFAULT false NOT NULL,
    expiry timestamp(3) with time zone,
    primary_color text DEFAULT ''::text NOT NULL,
    logo_url text DEFAULT ''::text NOT NULL,
    background_url text DEFAULT ''::text NOT NULL,
    deleted_at timestamp(3) with time zone,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    updated_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    CONSTRAINT portals_access_level_check CHECK ((access_level = ANY (ARRAY['regular'::text, 'private'::text]))),
    CONSTRAINT portals_custom_expiry_days_check CHECK (((custom_expiry_days >= '-1'::integer) AND (custom_expiry_days <= 65535)))
);

CREATE TABLE public.reconciliations (
    id uuid NOT NULL,
    repairing boolean NOT NULL,
    older_than_hours integer NOT NULL,
    "position" text DEFAULT ''::text NOT NULL COLLATE pg_catalog."C",
    objects bigint DEFAULT 0 NOT NULL,
    files bigint DEFAULT 0 NOT NULL,
    orphans bigint DEFAULT 0 NOT NULL,
    orphan_bytes bigint DEFAULT 0 NOT NULL,
    orphan_uploads bigint DEFAULT 0 NOT NULL,
    removed bigint DEFAULT 0 NOT NULL,
    missing bigint DEFAULT 0 NOT NULL,
    foreign_objects bigint DEFAULT 0 NOT NULL,
    started_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    touched_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    finished_at timestamp(3) with time zone
);

CREATE TABLE public.setup_links (
    token_hash bytea NOT NULL,
    expires_at timestamp(3) with time zone NOT NULL
);

CREATE TABLE public.tags (
    team_id uuid NOT NULL,
    id uuid NOT NULL,
    name text NOT NULL,
    active boolean DEFAULT true NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    updated_at timestamp(3) with time zone DEFAULT now() NOT NULL
);

CREATE TABLE public.teams (
    id uuid NOT NULL,
    name text NOT NULL,
    subdomain text NOT NULL,
    custom_expiry_enabled boolean DEFAULT true NOT NULL,
    custom_expiry_default integer DEFAULT 10 NOT NULL,
    download_limit_enabled boolean DEFAULT false NOT NULL,
    download_limit_default integer DEFAULT 0 NOT NULL,
    max_email_recipients integer DEFAULT 100 NOT NULL,
    unlimited_storage_allowed boolean DEFAULT true NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    updated_at timestamp(3) with time zone DEFAULT now() NOT NULL
);

CREATE TABLE public.teamspace_members (
    team_id uuid NOT NULL,
    teamspace_id uuid NOT NULL,
    membership_id uuid NOT NULL
);

CREATE TABLE public.teamspaces (
    team_id uuid NOT NULL,
    id uuid NOT NULL,
    name text NOT NULL,
    deleted_at timestamp(3) with time zone,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    updated_at timestamp(3) with time zone DEFAULT now() NOT NULL
);

CREATE TABLE public.transfer_files (
    team_id uuid NOT NULL,
    transfer_id uuid NOT NULL,
    file_id uuid NOT NULL,
    target_key text NOT NULL,
    upload_id text
);

CREATE TABLE public.transfers (
    team_id uuid NOT NULL,
    id uuid NOT NULL,
    package_id uuid NOT NULL,
    connection_id uuid,
    provider text NOT NULL,
    authorization_sealed bytea,
    folder text NOT NULL,
    state text DEFAULT 'pending'::text NOT NULL,
    size bigint NOT NULL,
    progress bigint DEFAULT 0 NOT NULL,
    left_out integer DEFAULT 0 NOT NULL,
    error text DEFAULT ''::text NOT NULL,
    run integer DEFAULT 0 NOT NULL,
    due timestamp(3) with time zone DEFAULT now(),
    failures integer DEFAULT 0 NOT NULL,
    done_through uuid,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    updated_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    direction text DEFAULT 'export'::text NOT NULL,
    paths text[],
    finalize boolean DEFAULT false NOT NULL,
    listed boolean DEFAULT false NOT NULL,
    CONSTRAINT transfers_check CHECK (((paths IS NOT NULL) = (direction = 'import'::text))),
    CONSTRAINT transfers_direction_check CHECK ((direction = ANY (ARRAY['import'::text, 'export'::text]))),
    CONSTRAINT transfers_provider_check CHECK ((provider = ANY (ARRAY['s3'::text, 'storage_gateway'::text]))),
    CONSTRAINT transfers_state_check CHECK ((state = ANY (ARRAY['pending'::text, 'started'::text, 'complete'::text, 'cancelled'::text, 'error'::text])))
);

CREATE TABLE public.usage_days (
    team_id uuid NOT NULL,
    day date NOT NULL,
    sent_packages bigint DEFAULT 0 NOT NULL,
    sent_bytes bigint DEFAULT 0 NOT NULL,
    received_packages bigint DEFAULT 0 NOT NULL,
    received_bytes bigint DEFAULT 0 NOT NULL,
    downloads bigint DEFAULT 0 NOT NULL
);

CREATE TABLE public.usage_marks (
    id bigint NOT NULL,
    team_id uuid NOT NULL,
    day date DEFAULT ((now() AT TIME ZONE 'UTC'::text))::date NOT NULL,
    sent_packages integer DEFAULT 0 NOT NULL,
    sent_bytes bigint DEFAULT 0 NOT NULL,
    received_packages integer DEFAULT 0 NOT NULL,
    received_bytes bigint DEFAULT 0 NOT NULL,
    downloads integer DEFAULT 0 NOT NULL
)
WITH (autovacuum_vacuum_scale_factor='0', autovacuum_vacuum_threshold='10000');

ALTER TABLE public.usage_marks ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.usage_marks_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.users (
    id uuid NOT NULL,
    email text NOT NULL,
    name text NOT NULL,
    password_hash text NOT NULL,
    time_zone text DEFAULT 'UTC'::text NOT NULL,
    primary_team_id uuid,
    preferred_team_id uuid,
    token_serial integer DEFAULT 0 NOT NULL,
    surviving_token text,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    updated_at timestamp(3) with time zone DEFAULT now() NOT NULL
);

CREATE TABLE public.webhooks (
    team_id uuid NOT NULL,
    id uuid NOT NULL,
    name text DEFAULT ''::text NOT NULL,
    active boolean NOT NULL,
    events text[] NOT NULL,
    method text NOT NULL,
    url text NOT NULL,
    headers_sealed bytea NOT NULL,
    body_extras text NOT NULL,
    secret_sealed bytea NOT NULL,
    previous_secret_sealed bytea,
    previous_secret_until timestamp(3) with time zone,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    updated_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    CONSTRAINT webhooks_method_check CHECK ((method = ANY (ARRAY['POST'::text, 'PUT'::text])))
);

CREATE TABLE public.whole_list_readers (
    team_id uuid NOT NULL,
    reader uuid NOT NULL,
    until timestamp(3) with time zone NOT NULL
);

ALTER TABLE ONLY public.deliveries ATTACH PARTITION public.deliveries_other DEFAULT;

ALTER TABLE ONLY public.events ATTACH PARTITION public.events_other DEFAULT;

ALTER TABLE ONLY public.packages ATTACH PARTITION public.packages_p00 FOR VALUES WITH (modulus 64, remainder 0);

ALTER TABLE ONLY public.packages ATTACH PARTITION public.packages_p63 FOR VALUES WITH (modulus 64, remainder 63);

ALTER TABLE ONLY public.migrations ALTER COLUMN id SET DEFAULT nextval('public.migrations_id_seq'::regclass);

ALTER TABLE ONLY public.api_keys
    ADD CONSTRAINT api_keys_key_hash_key UNIQUE (key_hash);

ALTER TABLE ONLY public.api_keys
    ADD CONSTRAINT api_keys_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.archive_plans
    ADD CONSTRAINT archive_plans_pkey PRIMARY KEY (team_id, package_id, kind);

ALTER TABLE ONLY public.cloud_connections
    ADD CONSTRAINT cloud_connections_pkey PRIMARY KEY (team_id, id);

ALTER TABLE ONLY public.deliveries
    ADD CONSTRAINT deliveries_pkey PRIMARY KEY (day, id);

ALTER TABLE ONLY public.deliveries_other
    ADD CONSTRAINT deliveries_other_pkey PRIMARY KEY (day, id);

ALTER TABLE ONLY public.email_changes
    ADD CONSTRAINT email_changes_pkey PRIMARY KEY (user_id);

ALTER TABLE ONLY public.email_changes
    ADD CONSTRAINT email_changes_token_hash_key UNIQUE (token_hash);

ALTER TABLE ONLY public.events
    ADD CONSTRAINT events_pkey PRIMARY KEY (day, id);

ALTER TABLE ONLY public.events_other
    ADD CONSTRAINT events_other_pkey PRIMARY KEY (day, id);

ALTER TABLE ONLY public.files
    ADD CONSTRAINT files_pkey PRIMARY KEY (team_id, package_id, id);

ALTER TABLE ONLY public.files
    ADD CONSTRAINT files_team_id_package_id_path_name_key UNIQUE (team_id, package_id, path, name);

ALTER TABLE ONLY public.form_responses
    ADD CONSTRAINT form_responses_pkey PRIMARY KEY (team_id, id);

ALTER TABLE ONLY public.form_templates
    ADD CONSTRAINT form_templates_pkey PRIMARY KEY (team_id, id);

ALTER TABLE ONLY public.forms
    ADD CONSTRAINT forms_pkey PRIMARY KEY (team_id, id);

ALTER TABLE ONLY public.forms
    ADD CONSTRAINT forms_team_id_portal_id_key UNIQUE (team_id, portal_id);

ALTER TABLE ONLY public.freezes
    ADD CONSTRAINT freezes_pkey PRIMARY KEY (team_id, package_id);

ALTER TABLE ONLY public.frozen_files
    ADD CONSTRAINT frozen_files_pkey PRIMARY KEY (team_id, package_id, first_id);

ALTER TABLE ONLY public.handed_out
    ADD CONSTRAINT handed_out_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.idempotency_keys
    ADD CONSTRAINT idempotency_keys_pkey PRIMARY KEY (credential, key);

ALTER TABLE ONLY public.import_files
    ADD CONSTRAINT import_files_pkey PRIMARY KEY (team_id, transfer_id, file_id);

ALTER TABLE ONLY public.invitations
    ADD CONSTRAINT invitations_pkey PRIMARY KEY (team_id, id);

ALTER TABLE ONLY public.invitations
    ADD CONSTRAINT invitations_token_hash_key UNIQUE (token_hash);

ALTER TABLE ONLY public.link_accesses
    ADD CONSTRAINT link_accesses_pkey PRIMARY KEY (link_id, token_id);

ALTER TABLE ONLY public.links
    ADD CONSTRAINT links_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.memberships
    ADD CONSTRAINT memberships_pkey PRIMARY KEY (team_id, id);

ALTER TABLE ONLY public.memberships
    ADD CONSTRAINT memberships_team_id_user_id_key UNIQUE (team_id, user_id);

ALTER TABLE ONLY public.migrations
    ADD CONSTRAINT migrations_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.notices_sent
    ADD CONSTRAINT notices_sent_pkey PRIMARY KEY (subject_id, kind, recipient);

ALTER TABLE ONLY public.package_counts
    ADD CONSTRAINT package_counts_key UNIQUE NULLS NOT DISTINCT (team_id, received, portal_id, shape, state, teamspace_id, tag_id, sender, day, kept_days);

ALTER TABLE ONLY public.package_deltas
    ADD CONSTRAINT package_deltas_pkey PRIMARY KEY (team_id, id);

ALTER TABLE ONLY public.packages
    ADD CONSTRAINT packages_pkey PRIMARY KEY (team_id, id);

ALTER TABLE ONLY public.packages_p00
    ADD CONSTRAINT packages_p00_pkey PRIMARY KEY (team_id, id);

ALTER TABLE ONLY public.packages_p63
    ADD CONSTRAINT packages_p63_pkey PRIMARY KEY (team_id, id);

ALTER TABLE ONLY public.portal_access
    ADD CONSTRAINT portal_access_pkey PRIMARY KEY (team_id, portal_id, membership_id);

ALTER TABLE ONLY public.portal_connections
    ADD CONSTRAINT portal_connections_pkey PRIMARY KEY (team_id, portal_id, connection_id);

ALTER TABLE ONLY public.portal_webhooks
    ADD CONSTRAINT portal_webhooks_pkey PRIMARY KEY (team_id, portal_id, webhook_id);

ALTER TABLE ONLY public.portals
    ADD CONSTRAINT portals_pkey PRIMARY KEY (team_id, id);

ALTER TABLE ONLY public.reconciliations
    ADD CONSTRAINT reconciliations_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.setup_links
    ADD CONSTRAINT setup_links_pkey PRIMARY KEY (token_hash);

ALTER TABLE ONLY public.tags
    ADD CONSTRAINT tags_pkey PRIMARY KEY (team_id, id);

ALTER TABLE ONLY public.teams
    ADD CONSTRAINT teams_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.teams
    ADD CONSTRAINT teams_subdomain_key UNIQUE (subdomain);

ALTER TABLE ONLY public.teamspace_members
    ADD CONSTRAINT teamspace_members_pkey PRIMARY KEY (team_id, teamspace_id, membership_id);

ALTER TABLE ONLY public.teamspaces
    ADD CONSTRAINT teamspaces_pkey PRIMARY KEY (team_id, id);

ALTER TABLE ONLY public.transfer_files
    ADD CONSTRAINT transfer_files_pkey PRIMARY KEY (team_id, transfer_id, file_id);

ALTER TABLE ONLY public.transfers
    ADD CONSTRAINT transfers_pkey PRIMARY KEY (team_id, id);

ALTER TABLE ONLY public.usage_days
    ADD CONSTRAINT usage_days_pkey PRIMARY KEY (team_id, day);

ALTER TABLE ONLY public.usage_marks
    ADD CONSTRAINT usage_marks_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.users
    ADD CONSTRAINT users_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.webhooks
    ADD CONSTRAINT webhooks_pkey PRIMARY KEY (team_id, id);

ALTER TABLE ONLY public.whole_list_readers
    ADD CONSTRAINT whole_list_readers_pkey PRIMARY KEY (team_id);

CREATE INDEX api_keys_of_team ON public.api_keys USING btree (team_id, created_at);

CREATE UNIQUE INDEX cloud_connections_id ON public.cloud_connections USING btree (id);

CREATE INDEX deliveries_due ON ONLY public.deliveries USING btree (next_attempt_at) WHERE (state = 'pending'::text);

CREATE INDEX deliveries_of_webhook ON ONLY public.deliveries USING btree (team_id, webhook_id, id DESC);

CREATE INDEX deliveries_other_next_attempt_at_idx ON public.deliveries_other USING btree (next_attempt_at) WHERE (state = 'pending'::text);

CREATE INDEX deliveries_other_team_id_webhook_id_id_idx ON public.deliveries_other USING btree (team_id, webhook_id, id DESC);

CREATE INDEX deliveries_undelivered ON ONLY public.deliveries USING btree (team_id, webhook_id, id DESC) WHERE (state <> 'delivered'::text);

CREATE INDEX deliveries_other_team_id_webhook_id_id_idx1 ON public.deliveries_other USING btree (team_id, webhook_id, id DESC) WHERE (state <> 'delivered'::text);

CREATE UNIQUE INDEX events_once ON ONLY public.events USING btree (day, package_id, type) WHERE (type = ANY (ARRAY['package.created'::text, 'package.finalized'::text, 'package.expired'::text, 'package.deleted'::text]));

CREATE UNIQUE INDEX events_other_day_package_id_type_idx ON public.events_other USING btree (day, package_id, type) WHERE (type = ANY (ARRAY['package.created'::text, 'package.finalized'::text, 'package.expired'::text, 'package.deleted'::text]));

CREATE INDEX files_uninspected ON public.files USING btree (inspect_after) WHERE ((state = 'finalized'::text) AND (kind = 'file'::text) AND (inspected_at IS NULL));

CREATE INDEX form_responses_of_package ON public.form_responses USING btree (team_id, package_id) WHERE (package_id IS NOT NULL);

CREATE INDEX form_responses_unused ON public.form_responses USING btree (created_at) WHERE (package_id IS NULL);

CREATE UNIQUE INDEX form_templates_id ON public.form_templates USING btree (id);

CREATE UNIQUE INDEX forms_id ON public.forms USING btree (id);

CREATE INDEX freezes_due ON public.freezes USING btree (due);

CREATE INDEX idempotency_keys_age ON public.idempotency_keys USING btree (created_at);

CREATE UNIQUE INDEX invitations_email ON public.invitations USING btree (team_id, lower(email));

CREATE INDEX links_of_package ON public.links USING btree (team_id, package_id, created_at);

CREATE INDEX memberships_of_user ON public.memberships USING btree (user_id);

CREATE INDEX notices_sent_age ON public.notices_sent USING btree (claimed_until);

CREATE INDEX packages_by_key ON ONLY public.packages USING btree (public.object_slice(id), team_id, id) WHERE (state = ANY (ARRAY['new'::text, 'finalized'::text]));

CREATE INDEX packages_created ON ONLY public.packages USING btree (team_id, received, state, created_at, id) INCLUDE (name_key);

CREATE INDEX packages_due ON ONLY public.packages USING btree (expiry) WHERE (state = 'finalized'::text);

CREATE INDEX packages_expiry ON ONLY public.packages USING btree (team_id, received, state, expiry, id);

CREATE INDEX packages_finalized ON ONLY public.packages USING btree (team_id, received, state, finalized_at, id);

CREATE INDEX packages_name ON ONLY public.packages USING btree (team_id, received, state, name_key, id);

CREATE INDEX packages_name_part ON ONLY public.packages USING gin (team_id, name_key public.gin_trgm_ops);

CREATE INDEX packages_of_portal ON ONLY public.packages USING btree (team_id, portal_id, state, created_at, id) WHERE (portal_id IS NOT NULL);

CREATE INDEX packages_of_sender ON ONLY public.packages USING btree (team_id, received, sender_key, state, created_at, id);

CREATE INDEX packages_of_space ON ONLY public.packages USING btree (team_id, received, teamspace_id, state, created_at, id) WHERE (teamspace_id IS NOT NULL);

CREATE INDEX packages_of_tag ON ONLY public.packages USING btree (team_id, received, tag_id, state, created_at, id) INCLUDE (teamspace_id, name_key) WHERE (tag_id IS NOT NULL);

CREATE INDEX packages_open ON ONLY public.packages USING btree (active_at) WHERE (state = 'new'::text);

CREATE INDEX packages_p00_active_at_idx ON public.packages_p00 USING btree (active_at) WHERE (state = 'new'::text);

CREATE INDEX packages_p00_expiry_idx ON public.packages_p00 USING btree (expiry) WHERE (state = 'finalized'::text);

CREATE INDEX packages_p00_object_slice_team_id_id_idx ON public.packages_p00 USING btree (public.object_slice(id), team_id, id) WHERE (state = ANY (ARRAY['new'::text, 'finalized'::text]));

CREATE INDEX packages_p00_team_id_name_key_idx ON public.packages_p00 USING gin (team_id, name_key public.gin_trgm_ops);

CREATE INDEX packages_p00_team_id_portal_id_state_created_at_id_idx ON public.packages_p00 USING btree (team_id, portal_id, state, created_at, id) WHERE (portal_id IS NOT NULL);

CREATE INDEX packages_p00_team_id_received_sender_key_state_created_at_i_idx ON public.packages_p00 USING btree (team_id, received, sender_key, state, created_at, id);

CREATE INDEX packages_p00_team_id_received_state_created_at_id_name_key_idx ON public.packages_p00 USING btree (team_id, received, state, created_at, id) INCLUDE (name_key);

CREATE INDEX packages_p00_team_id_received_state_expiry_id_idx ON public.packages_p00 USING btree (team_id, received, state, expiry, id);

CREATE INDEX packages_p00_team_id_received_state_finalized_at_id_idx ON public.packages_p00 USING btree (team_id, received, state, finalized_at, id);

CREATE INDEX packages_state ON ONLY public.packages USING btree (team_id, received, state, id);

CREATE INDEX packages_p00_team_id_received_state_id_idx ON public.packages_p00 USING btree (team_id, received, state, id);

CREATE INDEX packages_p00_team_id_received_state_name_key_id_idx ON public.packages_p00 USING btree (team_id, received, state, name_key, id);

CREATE INDEX packages_sender ON ONLY public.packages USING btree (team_id, received, state, sender_key, id);

CREATE INDEX packages_p00_team_id_received_state_sender_key_id_idx ON public.packages_p00 USING btree (team_id, received, state, sender_key, id);

CREATE INDEX packages_size ON ONLY public.packages USING btree (team_id, received, state, size, id);

CREATE INDEX packages_p00_team_id_received_state_size_id_idx ON public.packages_p00 USING btree (team_id, received, state, size, id);

CREATE INDEX packages_space ON ONLY public.packages USING btree (team_id, received, state, teamspace_id NULLS FIRST, id);

CREATE INDEX packages_p00_team_id_received_state_teamspace_id_id_idx ON public.packages_p00 USING btree (team_id, received, state, teamspace_id NULLS FIRST, id);

CREATE INDEX packages_usage ON ONLY public.packages USING btree (team_id, received, state, usage_total_bytes, id);

CREATE INDEX packages_p00_team_id_received_state_usage_total_bytes_id_idx ON public.packages_p00 USING btree (team_id, received, state, usage_total_bytes, id);

CREATE INDEX packages_p00_team_id_received_tag_id_state_created_at_id_te_idx ON public.packages_p00 USING btree (team_id, received, tag_id, state, created_at, id) INCLUDE (teamspace_id, name_key) WHERE (tag_id IS NOT NULL);

CREATE INDEX packages_p00_team_id_received_teamspace_id_state_created_at_idx ON public.packages_p00 USING btree (team_id, received, teamspace_id, state, created_at, id) WHERE (teamspace_id IS NOT NULL);

CREATE INDEX packages_p63_active_at_idx ON public.packages_p63 USING btree (active_at) WHERE (state = 'new'::text);

CREATE INDEX packages_p63_expiry_idx ON public.packages_p63 USING btree (expiry) WHERE (state = 'finalized'::text);

CREATE INDEX packages_p63_object_slice_team_id_id_idx ON public.packages_p63 USING btree (public.object_slice(id), team_id, id) WHERE (state = ANY (ARRAY['new'::text, 'finalized'::text]));

CREATE INDEX packages_p63_team_id_name_key_idx ON public.packages_p63 USING gin (team_id, name_key public.gin_trgm_ops);

CREATE INDEX packages_p63_team_id_portal_id_state_created_at_id_idx ON public.packages_p63 USING btree (team_id, portal_id, state, created_at, id) WHERE (portal_id IS NOT NULL);

CREATE INDEX packages_p63_team_id_received_sender_key_state_created_at_i_idx ON public.packages_p63 USING btree (team_id, received, sender_key, state, created_at, id);

CREATE INDEX packages_p63_team_id_received_state_created_at_id_name_key_idx ON public.packages_p63 USING btree (team_id, received, state, created_at, id) INCLUDE (name_key);

CREATE INDEX packages_p63_team_id_received_state_expiry_id_idx ON public.packages_p63 USING btree (team_id, received, state, expiry, id);

CREATE INDEX packages_p63_team_id_received_state_finalized_at_id_idx ON public.packages_p63 USING btree (team_id, received, state, finalized_at, id);

CREATE INDEX packages_p63_team_id_received_state_id_idx ON public.packages_p63 USING btree (team_id, received, state, id);

CREATE INDEX packages_p63_team_id_received_state_name_key_id_idx ON public.packages_p63 USING btree (team_id, received, state, name_key, id);

CREATE INDEX packages_p63_team_id_received_state_sender_key_id_idx ON public.packages_p63 USING btree (team_id, received, state, sender_key, id);

CREATE INDEX packages_p63_team_id_received_state_size_id_idx ON public.packages_p63 USING btree (team_id, received, state, size, id);

CREATE INDEX packages_p63_team_id_received_state_teamspace_id_id_idx ON public.packages_p63 USING btree (team_id, received, state, teamspace_id NULLS FIRST, id);

CREATE INDEX packages_p63_team_id_received_state_usage_total_bytes_id_idx ON public.packages_p63 USING btree (team_id, received, state, usage_total_bytes, id);

CREATE INDEX packages_p63_team_id_received_tag_id_state_created_at_id_te_idx ON public.packages_p63 USING btree (team_id, received, tag_id, state, created_at, id) INCLUDE (teamspace_id, name_key) WHERE (tag_id IS NOT NULL);

CREATE INDEX packages_p63_team_id_received_teamspace_id_state_created_at_idx ON public.packages_p63 USING btree (team_id, received, teamspace_id, state, created_at, id) WHERE (teamspace_id IS NOT NULL);

CREATE UNIQUE INDEX portals_id ON public.portals USING btree (id);

CREATE INDEX portals_of_connection ON public.portal_connections USING btree (team_id, connection_id);

CREATE INDEX portals_of_member ON public.portal_access USING btree (team_id, membership_id);

CREATE INDEX portals_of_webhook ON public.portal_webhooks USING btree (team_id, webhook_id);

CREATE UNIQUE INDEX portals_subdomain ON public.portals USING btree (subdomain) WHERE (deleted_at IS NULL);

CREATE INDEX reconciliations_age ON public.reconciliations USING btree (started_at);

CREATE UNIQUE INDEX tags_id ON public.tags USING btree (id);

CREATE UNIQUE INDEX tags_name ON public.tags USING btree (team_id, name) WHERE active;

CREATE UNIQUE INDEX teamspaces_id ON public.teamspaces USING btree (id);

CREATE INDEX teamspaces_of_member ON public.teamspace_members USING btree (team_id, membership_id);

CREATE INDEX transfers_due ON public.transfers USING btree (due) WHERE ((due IS NOT NULL) AND (provider = 's3'::text));

CREATE UNIQUE INDEX transfers_id ON public.transfers USING btree (id);

CREATE INDEX transfers_left ON public.transfers USING btree (due) WHERE ((due IS NOT NULL) AND (provider = 'storage_gateway'::text) AND (direction = 'import'::text) AND (state = ANY (ARRAY['cancelled'::text, 'error'::text])));

CREATE INDEX transfers_of_connection ON public.transfers USING btree (connection_id) WHERE (state = ANY (ARRAY['pending'::text, 'started'::text]));

CREATE INDEX transfers_of_gateway ON public.transfers USING btree (connection_id, due) WHERE ((due IS NOT NULL) AND (provider = 'storage_gateway'::text));

CREATE INDEX transfers_of_package ON public.transfers USING btree (team_id, package_id, id);

CREATE INDEX usage_marks_day ON public.usage_marks USING btree (team_id, day);

CREATE UNIQUE INDEX users_email ON public.users USING btree (lower(email));

CREATE UNIQUE INDEX webhooks_id ON public.webhooks USING btree (id);

ALTER INDEX public.deliveries_due ATTACH PARTITION public.deliveries_other_next_attempt_at_idx;

ALTER INDEX public.deliveries_pkey ATTACH PARTITION public.deliveries_other_pkey;

ALTER INDEX public.deliveries_of_webhook ATTACH PARTITION public.deliveries_other_team_id_webhook_id_id_idx;

ALTER INDEX public.deliveries_undelivered ATTACH PARTITION public.deliveries_other_team_id_webhook_id_id_idx1;

ALTER INDEX public.events_once ATTACH PARTITION public.events_other_day_package_id_type_idx;

ALTER INDEX public.events_pkey ATTACH PARTITION public.events_other_pkey;

ALTER INDEX public.packages_open ATTACH PARTITION public.packages_p00_active_at_idx;

ALTER INDEX public.packages_due ATTACH PARTITION public.packages_p00_expiry_idx;

ALTER INDEX public.packages_by_key ATTACH PARTITION public.packages_p00_object_slice_team_id_id_idx;

ALTER INDEX public.packages_pkey ATTACH PARTITION public.packages_p00_pkey;

ALTER INDEX public.packages_name_part ATTACH PARTITION public.packages_p00_team_id_name_key_idx;

ALTER INDEX public.packages_of_portal ATTACH PARTITION public.packages_p00_team_id_portal_id_state_created_at_id_idx;

ALTER INDEX public.packages_of_sender ATTACH PARTITION public.packages_p00_team_id_received_sender_key_state_created_at_i_idx;

ALTER INDEX public.packages_created ATTACH PARTITION public.packages_p00_team_id_received_state_created_at_id_name_key_idx;

ALTER INDEX public.packages_expiry ATTACH PARTITION public.packages_p00_team_id_received_state_expiry_id_idx;

ALTER INDEX public.packages_finalized ATTACH PARTITION public.packages_p00_team_id_received_state_finalized_at_id_idx;

ALTER INDEX public.packages_state ATTACH PARTITION public.packages_p00_team_id_received_state_id_idx;

ALTER INDEX public.packages_name ATTACH PARTITION public.packages_p00_team_id_received_state_name_key_id_idx;

ALTER INDEX public.packages_sender ATTACH PARTITION public.packages_p00_team_id_received_state_sender_key_id_idx;

ALTER INDEX public.packages_size ATTACH PARTITION public.packages_p00_team_id_received_state_size_id_idx;

ALTER INDEX public.packages_space ATTACH PARTITION public.packages_p00_team_id_received_state_teamspace_id_id_idx;

ALTER INDEX public.packages_usage ATTACH PARTITION public.packages_p00_team_id_received_state_usage_total_bytes_id_idx;

ALTER INDEX public.packages_of_tag ATTACH PARTITION public.packages_p00_team_id_received_tag_id_state_created_at_id_te_idx;

ALTER INDEX public.packages_of_space ATTACH PARTITION public.packages_p00_team_id_received_teamspace_id_state_created_at_idx;

ALTER INDEX public.packages_open ATTACH PARTITION public.packages_p63_active_at_idx;

ALTER INDEX public.packages_due ATTACH PARTITION public.packages_p63_expiry_idx;

ALTER INDEX public.packages_by_key ATTACH PARTITION public.packages_p63_object_slice_team_id_id_idx;

ALTER INDEX public.packages_pkey ATTACH PARTITION public.packages_p63_pkey;

ALTER INDEX public.packages_name_part ATTACH PARTITION public.packages_p63_team_id_name_key_idx;

ALTER INDEX public.packages_of_portal ATTACH PARTITION public.packages_p63_team_id_portal_id_state_created_at_id_idx;

ALTER INDEX public.packages_of_sender ATTACH PARTITION public.packages_p63_team_id_received_sender_key_state_created_at_i_idx;

ALTER INDEX public.packages_created ATTACH PARTITION public.packages_p63_team_id_received_state_created_at_id_name_key_idx;

ALTER INDEX public.packages_expiry ATTACH PARTITION public.packages_p63_team_id_received_state_expiry_id_idx;

ALTER INDEX public.packages_finalized ATTACH PARTITION public.packages_p63_team_id_received_state_finalized_at_id_idx;

ALTER INDEX public.packages_state ATTACH PARTITION public.packages_p63_team_id_received_state_id_idx;

ALTER INDEX public.packages_name ATTACH PARTITION public.packages_p63_team_id_received_state_name_key_id_idx;

ALTER INDEX public.packages_sender ATTACH PARTITION public.packages_p63_team_id_received_state_sender_key_id_idx;

ALTER INDEX public.packages_size ATTACH PARTITION public.packages_p63_team_id_received_state_size_id_idx;

ALTER INDEX public.packages_space ATTACH PARTITION public.packages_p63_team_id_received_state_teamspace_id_id_idx;

ALTER INDEX public.packages_usage ATTACH PARTITION public.packages_p63_team_id_received_state_usage_total_bytes_id_idx;

ALTER INDEX public.packages_of_tag ATTACH PARTITION public.packages_p63_team_id_received_tag_id_state_created_at_id_te_idx;

ALTER INDEX public.packages_of_space ATTACH PARTITION public.packages_p63_team_id_received_teamspace_id_state_created_at_idx;

CREATE TRIGGER count_added AFTER INSERT ON public.packages REFERENCING NEW TABLE AS after_change FOR EACH STATEMENT EXECUTE FUNCTION public.note_package_changes();

CREATE TRIGGER count_added AFTER INSERT ON public.packages_p00 REFERENCING NEW TABLE AS after_change FOR EACH STATEMENT EXECUTE FUNCTION public.note_package_changes();

CREATE TRIGGER count_added AFTER INSERT ON public.packages_p63 REFERENCING NEW TABLE AS after_change FOR EACH STATEMENT EXECUTE FUNCTION public.note_package_changes();

CREATE TRIGGER count_changed AFTER UPDATE ON public.packages REFERENCING OLD TABLE AS before_change NEW TABLE AS after_change FOR EACH STATEMENT EXECUTE FUNCTION public.note_package_changes();

CREATE TRIGGER count_changed AFTER UPDATE ON public.packages_p00 REFERENCING OLD TABLE AS before_change NEW TABLE AS after_change FOR EACH STATEMENT EXECUTE FUNCTION public.note_package_changes();

CREATE TRIGGER count_changed AFTER UPDATE ON public.packages_p63 REFERENCING OLD TABLE AS before_change NEW TABLE AS after_change FOR EACH STATEMENT EXECUTE FUNCTION public.note_package_changes();

CREATE TRIGGER count_removed AFTER DELETE ON public.packages REFERENCING OLD TABLE AS before_change FOR EACH STATEMENT EXECUTE FUNCTION public.note_package_changes();

CREATE TRIGGER count_removed AFTER DELETE ON public.packages_p00 REFERENCING OLD TABLE AS before_change FOR EACH STATEMENT EXECUTE FUNCTION public.note_package_changes();

CREATE TRIGGER count_removed AFTER DELETE ON public.packages_p63 REFERENCING OLD TABLE AS before_change FOR EACH STATEMENT EXECUTE FUNCTION public.note_package_changes();

ALTER TABLE ONLY public.api_keys
    ADD CONSTRAINT api_keys_created_by_fkey FOREIGN KEY (created_by) REFERENCES public.users(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.api_keys
    ADD CONSTRAINT api_keys_team_id_fkey FOREIGN KEY (team_id) REFERENCES public.teams(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.cloud_connections
    ADD CONSTRAINT cloud_connections_team_id_fkey FOREIGN KEY (team_id) REFERENCES public.teams(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.email_changes
    ADD CONSTRAINT email_changes_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.form_templates
    ADD CONSTRAINT form_templates_team_id_fkey FOREIGN KEY (team_id) REFERENCES public.teams(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.forms
    ADD CONSTRAINT forms_team_id_portal_id_fkey FOREIGN KEY (team_id, portal_id) REFERENCES public.portals(team_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY public.import_files
    ADD CONSTRAINT import_files_team_id_transfer_id_fkey FOREIGN KEY (team_id, transfer_id) REFERENCES public.transfers(team_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY public.invitations
    ADD CONSTRAINT invitations_team_id_fkey FOREIGN KEY (team_id) REFERENCES public.teams(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.link_accesses
    ADD CONSTRAINT link_accesses_link_id_fkey FOREIGN KEY (link_id) REFERENCES public.links(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.memberships
    ADD CONSTRAINT memberships_team_id_fkey FOREIGN KEY (team_id) REFERENCES public.teams(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.memberships
    ADD CONSTRAINT memberships_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.portal_access
    ADD CONSTRAINT portal_access_team_id_membership_id_fkey FOREIGN KEY (team_id, membership_id) REFERENCES public.memberships(team_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY public.portal_access
    ADD CONSTRAINT portal_access_team_id_portal_id_fkey FOREIGN KEY (team_id, portal_id) REFERENCES public.portals(team_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY public.portal_connections
    ADD CONSTRAINT portal_connections_team_id_connection_id_fkey FOREIGN KEY (team_id, connection_id) REFERENCES public.cloud_connections(team_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY public.portal_connections
    ADD CONSTRAINT portal_connections_team_id_portal_id_fkey FOREIGN KEY (team_id, portal_id) REFERENCES public.portals(team_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY public.portal_webhooks
    ADD CONSTRAINT portal_webhooks_team_id_portal_id_fkey FOREIGN KEY (team_id, portal_id) REFERENCES public.portals(team_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY public.portal_webhooks
    ADD CONSTRAINT portal_webhooks_team_id_webhook_id_fkey FOREIGN KEY (team_id, webhook_id) REFERENCES public.webhooks(team_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY public.portals
    ADD CONSTRAINT portals_team_id_fkey FOREIGN KEY (team_id) REFERENCES public.teams(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.tags
    ADD CONSTRAINT tags_team_id_fkey FOREIGN KEY (team_id) REFERENCES public.teams(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.teamspace_members
    ADD CONSTRAINT teamspace_members_team_id_membership_id_fkey FOREIGN KEY (team_id, membership_id) REFERENCES public.memberships(team_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY public.teamspace_members
    ADD CONSTRAINT teamspace_members_team_id_teamspace_id_fkey FOREIGN KEY (team_id, teamspace_id) REFERENCES public.teamspaces(team_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY public.teamspaces
    ADD CONSTRAINT teamspaces_team_id_fkey FOREIGN KEY (team_id) REFERENCES public.teams(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.transfer_files
    ADD CONSTRAINT transfer_files_team_id_transfer_id_fkey FOREIGN KEY (team_id, transfer_id) REFERENCES public.transfers(team_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY public.transfers
    ADD CONSTRAINT transfers_team_id_fkey FOREIGN KEY (team_id) REFERENCES public.teams(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.webhooks
    ADD CONSTRAINT webhooks_team_id_fkey FOREIGN KEY (team_id) REFERENCES public.teams(id) ON DELETE CASCADE;
