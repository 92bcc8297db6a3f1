-- Up Migration

-- How an archive of very many files is laid out, worked out once its list is final. Without its row it is worked out
-- again when somebody asks.
create table archive_plans (
  team_id uuid not null,
  package_id uuid not null,
  kind text not null,
  -- Of the archive's bytes: a plan for another one is no longer good.
  format integer not null,
  data bytea not null,
  primary key (team_id, package_id, kind)
);
alter table archive_plans alter column data set storage external;

-- Down Migration

drop table archive_plans;
