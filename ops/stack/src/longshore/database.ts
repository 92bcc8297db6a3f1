import { psql } from '#postgres'
import type { Stack } from '#stack'

/** The address of another database on the stack's PostgreSQL. */
export function databaseUrl(stack: Stack, name: string): string {
  const url = new URL(stack.database_url)
  url.pathname = `/${name}`
  return url.href
}

const plainName = /^[a-z][a-z0-9_]{0,62}$/

/** Makes a database, as a copy of another where one is named. A copy of a migrated one takes a fraction of a second. */
export async function makeDatabase(stack: Stack, name: string, template?: string): Promise<string> {
  for (const word of [name, template ?? name]) {
    if (!plainName.test(word)) throw new Error(`'${word}' is no name for a database here.`)
  }
  await psql(stack.database_url, `create database ${name}${template === undefined ? '' : ` template ${template}`}`)
  return databaseUrl(stack, name)
}

export async function dropDatabase(stack: Stack, name: string): Promise<void> {
  if (!plainName.test(name)) throw new Error(`'${name}' is no name for a database here.`)
  await psql(stack.database_url, `drop database if exists ${name} with (force)`)
}

export const databaseExists = async (stack: Stack, name: string): Promise<boolean> =>
  (await psql(stack.database_url, `select 1 from pg_database where datname = '${name.replaceAll("'", '')}'`)).trim() ===
  '1'
