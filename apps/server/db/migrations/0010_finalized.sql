-- Up Migration

-- Who fetches what was received asks for what was finalized since they last looked.
create index packages_finalized on packages (team_id, received, state, finalized_at, id);

-- Down Migration

drop index packages_finalized;
