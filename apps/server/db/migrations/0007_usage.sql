-- Up Migration

-- What a Team sent, received and handed out, by day in UTC. A change is a row of its own in usage_marks, because senders
-- of one Team would otherwise wait for each other at the row of the day; the worker adds the marks up.
create table usage_days (
  team_id uuid not null,
  day date not null,
  sent_packages bigint not null default 0,
  sent_bytes bigint not null default 0,
  received_packages bigint not null default 0,
  received_bytes bigint not null default 0,
  downloads bigint not null default 0,
  primary key (team_id, day)
);

create table usage_marks (
  id bigint generated always as identity primary key,
  team_id uuid not null,
  day date not null default (now() at time zone 'UTC')::date,
  sent_packages integer not null default 0,
  sent_bytes bigint not null default 0,
  received_packages integer not null default 0,
  received_bytes bigint not null default 0,
  downloads integer not null default 0
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 10000);
create index usage_marks_day on usage_marks (team_id, day);

-- What happened before there was a place to note it. Of downloads, as far back as events are kept.
insert into usage_days (team_id, day, sent_packages, sent_bytes, received_packages, received_bytes)
select team_id, (finalized_at at time zone 'UTC')::date,
       count(*) filter (where portal_id is null), coalesce(sum(size) filter (where portal_id is null), 0),
       count(*) filter (where portal_id is not null), coalesce(sum(size) filter (where portal_id is not null), 0)
  from packages
 where finalized_at is not null
 group by 1, 2;

insert into usage_days as u (team_id, day, downloads)
select team_id, day, count(*) from events where type = 'package.downloaded' group by 1, 2
on conflict (team_id, day) do update set downloads = excluded.downloads;

-- When somebody last fetched something by a link: with its recipient, who downloaded and when.
alter table links add column last_access_at timestamptz(3);

-- Down Migration

alter table links drop column last_access_at;

drop table usage_marks, usage_days;
