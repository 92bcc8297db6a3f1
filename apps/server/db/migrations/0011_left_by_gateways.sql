-- Up Migration

-- Imports that have ended, and of which files may be left in their packages because their agent is away.
create index transfers_left on transfers (due)
  where due is not null and provider = 'storage_gateway' and direction = 'import' and state in ('cancelled', 'error');

-- Down Migration

drop index transfers_left;
