import { psql } from '@longshore/stack/postgres'

/**
 * Watches for how long statements wait for locks while some work goes on, and answers the longest wait in milliseconds.
 *
 * A client only sees that a request was slow; on a busy machine it mostly waited for a core. The database knows who
 * waited for whom. It is looked at every 2 ms by a function that runs inside it.
 */
export async function longestLockWait(databaseUrl: string, work: () => Promise<void>): Promise<number> {
  await psql(
    databaseUrl,
    `create table if not exists watching (id integer primary key);
     delete from watching;
     insert into watching values (1);
     create or replace function watch_locks() returns double precision language plpgsql volatile as $$
     declare
       longest double precision := 0;
     begin
       while exists (select from watching) loop
         perform pg_stat_clear_snapshot();
         select greatest(longest, max(extract(epoch from clock_timestamp() - query_start) * 1000)) into longest
           from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock';
         perform pg_sleep(0.002);
       end loop;
       return longest;
     end
     $$`,
  )
  const watch = psql(databaseUrl, 'select watch_locks()', 7_200)
  try {
    await work()
  } finally {
    await psql(databaseUrl, 'delete from watching')
  }
  return Number(await watch)
}
