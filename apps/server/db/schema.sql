CREATE FUNCTION public.drop_event_partitions(older_than_days integer) RETURNS void
    LANGUAGE plpgsql
    AS $_$
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
$_$;

CREATE FUNCTION public.make_event_partitions(days integer) RETURNS void
    LANGUAGE plpgsql
    AS $$
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
    CONSTRAINT files_kind_check CHECK ((kind = ANY (ARRAY['file'::text, 'directory'::text]))),
    CONSTRAINT files_scan_check CHECK ((scan = ANY (ARRAY['pending'::text, 'clean'::text, 'infected'::text, 'not_scanned'::text]))),
    CONSTRAINT files_state_check CHECK ((state = ANY (ARRAY['new'::text, 'uploading'::text, 'completing'::text, 'finalized'::text])))
);

CREATE TABLE public.idempotency_keys (
    credential text NOT NULL,
    key text NOT NULL,
    request_hash bytea NOT NULL,
    reply_sealed bytea,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL
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
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL
);

CREATE TABLE public.memberships (
    team_id uuid NOT NULL,
    id uuid NOT NULL,
    user_id uuid NOT NULL,
    role text NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
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
    CONSTRAINT packages_state_check CHECK ((state = ANY (ARRAY['new'::text, 'finalized'::text, 'expired'::text, 'archived'::text])))
);

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
    CONSTRAINT packages_state_check CHECK ((state = ANY (ARRAY['new'::text, 'finalized'::text, 'expired'::text, 'archived'::text])))
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

ALTER TABLE ONLY public.events ATTACH PARTITION public.events_other DEFAULT;

ALTER TABLE ONLY public.packages ATTACH PARTITION public.packages_p00 FOR VALUES WITH (modulus 64, remainder 0);

ALTER TABLE ONLY public.packages ATTACH PARTITION public.packages_p63 FOR VALUES WITH (modulus 64, remainder 63);

ALTER TABLE ONLY public.migrations ALTER COLUMN id SET DEFAULT nextval('public.migrations_id_seq'::regclass);

ALTER TABLE ONLY public.api_keys
    ADD CONSTRAINT api_keys_key_hash_key UNIQUE (key_hash);

ALTER TABLE ONLY public.api_keys
    ADD CONSTRAINT api_keys_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.email_changes
    ADD CONSTRAINT email_changes_pkey PRIMARY KEY (user_id);

ALTER TABLE ONLY public.email_changes
    ADD CONSTRAINT email_changes_token_hash_key UNIQUE (token_hash);

ALTER TABLE ONLY public.events
    ADD CONSTRAINT events_day_package_id_type_key UNIQUE (day, package_id, type);

ALTER TABLE ONLY public.events_other
    ADD CONSTRAINT events_other_day_package_id_type_key UNIQUE (day, package_id, type);

ALTER TABLE ONLY public.events
    ADD CONSTRAINT events_pkey PRIMARY KEY (day, id);

ALTER TABLE ONLY public.events_other
    ADD CONSTRAINT events_other_pkey PRIMARY KEY (day, id);

ALTER TABLE ONLY public.files
    ADD CONSTRAINT files_pkey PRIMARY KEY (team_id, package_id, id);

ALTER TABLE ONLY public.files
    ADD CONSTRAINT files_team_id_package_id_path_name_key UNIQUE (team_id, package_id, path, name);

ALTER TABLE ONLY public.idempotency_keys
    ADD CONSTRAINT idempotency_keys_pkey PRIMARY KEY (credential, key);

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

ALTER TABLE ONLY public.packages
    ADD CONSTRAINT packages_pkey PRIMARY KEY (team_id, id);

ALTER TABLE ONLY public.packages_p00
    ADD CONSTRAINT packages_p00_pkey PRIMARY KEY (team_id, id);

ALTER TABLE ONLY public.packages_p63
    ADD CONSTRAINT packages_p63_pkey PRIMARY KEY (team_id, id);

ALTER TABLE ONLY public.setup_links
    ADD CONSTRAINT setup_links_pkey PRIMARY KEY (token_hash);

ALTER TABLE ONLY public.tags
    ADD CONSTRAINT tags_pkey PRIMARY KEY (team_id, id);

ALTER TABLE ONLY public.tags
    ADD CONSTRAINT tags_team_id_name_key UNIQUE (team_id, name);

ALTER TABLE ONLY public.teams
    ADD CONSTRAINT teams_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.teams
    ADD CONSTRAINT teams_subdomain_key UNIQUE (subdomain);

ALTER TABLE ONLY public.users
    ADD CONSTRAINT users_pkey PRIMARY KEY (id);

CREATE INDEX api_keys_of_team ON public.api_keys USING btree (team_id, created_at);

CREATE INDEX idempotency_keys_age ON public.idempotency_keys USING btree (created_at);

CREATE INDEX links_of_package ON public.links USING btree (team_id, package_id, created_at);

CREATE INDEX memberships_of_user ON public.memberships USING btree (user_id);

CREATE INDEX packages_due ON ONLY public.packages USING btree (expiry) WHERE (state = 'finalized'::text);

CREATE INDEX packages_open ON ONLY public.packages USING btree (active_at) WHERE (state = 'new'::text);

CREATE INDEX packages_p00_active_at_idx ON public.packages_p00 USING btree (active_at) WHERE (state = 'new'::text);

CREATE INDEX packages_p00_expiry_idx ON public.packages_p00 USING btree (expiry) WHERE (state = 'finalized'::text);

CREATE INDEX packages_p63_active_at_idx ON public.packages_p63 USING btree (active_at) WHERE (state = 'new'::text);

CREATE INDEX packages_p63_expiry_idx ON public.packages_p63 USING btree (expiry) WHERE (state = 'finalized'::text);

CREATE UNIQUE INDEX users_email ON public.users USING btree (lower(email));

ALTER INDEX public.events_day_package_id_type_key ATTACH PARTITION public.events_other_day_package_id_type_key;

ALTER INDEX public.events_pkey ATTACH PARTITION public.events_other_pkey;

ALTER INDEX public.packages_open ATTACH PARTITION public.packages_p00_active_at_idx;

ALTER INDEX public.packages_due ATTACH PARTITION public.packages_p00_expiry_idx;

ALTER INDEX public.packages_pkey ATTACH PARTITION public.packages_p00_pkey;

ALTER INDEX public.packages_open ATTACH PARTITION public.packages_p63_active_at_idx;

ALTER INDEX public.packages_due ATTACH PARTITION public.packages_p63_expiry_idx;

ALTER INDEX public.packages_pkey ATTACH PARTITION public.packages_p63_pkey;

ALTER TABLE ONLY public.api_keys
    ADD CONSTRAINT api_keys_created_by_fkey FOREIGN KEY (created_by) REFERENCES public.users(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.api_keys
    ADD CONSTRAINT api_keys_team_id_fkey FOREIGN KEY (team_id) REFERENCES public.teams(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.email_changes
    ADD CONSTRAINT email_changes_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.link_accesses
    ADD CONSTRAINT link_accesses_link_id_fkey FOREIGN KEY (link_id) REFERENCES public.links(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.memberships
    ADD CONSTRAINT memberships_team_id_fkey FOREIGN KEY (team_id) REFERENCES public.teams(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.memberships
    ADD CONSTRAINT memberships_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.tags
    ADD CONSTRAINT tags_team_id_fkey FOREIGN KEY (team_id) REFERENCES public.teams(id) ON DELETE CASCADE;
