import type { Database } from './database.ts'

export const readUserToken = (db: Database): string | undefined =>
  db.all<{ user_token: string }>('select user_token from session')[0]?.user_token

export const saveUserToken = (db: Database, token: string): number =>
  db.run(
    `insert into session (only_one, user_token) values (1, ?)
     on conflict (only_one) do update set user_token = excluded.user_token`,
    token,
  )

export const forgetUserToken = (db: Database): number => db.run('delete from session')
