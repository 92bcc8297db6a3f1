import { hash } from 'node:crypto'
import pg from 'pg'

/** A piece of SQL with its values. Made by the `sql` tag only, so that no value ever becomes text. */
export interface Sql {
  readonly strings: readonly string[]
  readonly values: readonly unknown[]
  /** Set by `plannedAnew`. */
  readonly unnamed?: true
}

const isSql = (value: unknown): value is Sql =>
  typeof value === 'object' && value !== null && 'strings' in value && 'values' in value

/** Values go through `${}`; a piece made by this tag may stand inside another. */
export function sql(strings: TemplateStringsArray, ...parts: readonly unknown[]): Sql {
  const texts = [strings[0] ?? '']
  const values: unknown[] = []
  for (const [index, part] of parts.entries()) {
    const next = strings[index + 1] ?? ''
    if (isSql(part)) {
      texts[texts.length - 1] += part.strings[0] ?? ''
      texts.push(...part.strings.slice(1))
      values.push(...part.values)
      texts[texts.length - 1] += next
    } else {
      values.push(part)
      texts.push(next)
    }
  }
  return { strings: texts, values }
}

/** The name of a table as a piece of SQL. For names that we made ourselves. */
export function sqlName(name: string): Sql {
  if (!/^[a-z][a-z0-9_]*$/.test(name)) throw new TypeError(`'${name}' is no plain name.`)
  return { strings: [name], values: [] }
}

/** Pieces one after the other, with another piece between each two. */
export const sqlJoin = (pieces: readonly Sql[], between: Sql): Sql =>
  pieces.reduce((all, next, index) => (index === 0 ? next : sql`${all}${between}${next}`), sql``)

/**
 * A statement that is planned each time for the values it then has. For lists: a plan that suits the one sender with a
 * million packages is wrong for the others.
 */
export const plannedAnew = (query: Sql): Sql => ({ ...query, unnamed: true })

export interface Reads {
  rows<Row>(query: Sql): Promise<Row[]>
  row<Row>(query: Sql): Promise<Row | undefined>
}

declare const inTransaction: unique symbol

/** The only thing that can write: a write outside a transaction does not compile. */
export interface Tx extends Reads {
  readonly [inTransaction]: true
  /** Runs a statement and answers how many rows it changed. */
  run(query: Sql): Promise<number>
  /**
   * Names what others are to be told of once this is committed; never before, and not at all if it is not. Without a
   * payload once for each topic.
   */
  announce(topic: string, payload?: unknown): void
  /** Runs a statement that a library made, inside this transaction. Nothing of our own goes through here. */
  foreign(text: string, values?: readonly unknown[]): Promise<{ rows: unknown[] }>
}

export interface Db extends Reads {
  transaction<Result>(work: (tx: Tx) => Promise<Result>): Promise<Result>
  close(): Promise<void>
}

export interface DbOptions {
  readonly url: string
  readonly maxConnections: number
  readonly statementTimeoutMs: number
  readonly applicationName: string
  onIdleError(error: Error): void
  /** Told after a commit what was announced in it. Must not fail: it can no longer be undone. */
  onCommitted?(topic: string, payload: unknown): void
}

// File sizes are int8. pg hands those over as text; ours all fit a number exactly, and one that does not is a bug.
pg.types.setTypeParser(20, (text) => {
  const value = Number(text)
  if (!Number.isSafeInteger(value)) throw new RangeError(`The database holds ${text}, which is no safe integer.`)
  return value
})

const statementNames = new Map<string, string>()

/** Every statement but those planned anew is prepared once per connection, under a name that follows from its text. */
function statement(query: Sql): pg.QueryConfig {
  const text = query.strings.reduce((all, next, index) => `${all}$${index}${next}`)
  if (query.unnamed === true) return { text, values: query.values as unknown[] }
  let name = statementNames.get(text)
  if (name === undefined) {
    name = hash('sha256', text, 'base64url').slice(0, 32)
    statementNames.set(text, name)
  }
  return { name, text, values: query.values as unknown[] }
}

const readsOf = (source: pg.Pool | pg.PoolClient): Reads => ({
  async rows<Row>(query: Sql) {
    return (await source.query(statement(query))).rows as Row[]
  },
  async row<Row>(query: Sql) {
    return (await source.query(statement(query))).rows[0] as Row | undefined
  },
})

// What PostgreSQL asks to be tried again: serialization failure, deadlock.
const worthAnotherTry = new Set(['40001', '40P01'])
const tries = 3

export function openDb(options: DbOptions): Db {
  const pool = new pg.Pool({
    connectionString: options.url,
    max: options.maxConnections,
    application_name: options.applicationName,
    // Days are days of UTC, whatever zone the server is set to: `now() + 10 days` has 240 hours in every season.
    options: '-c TimeZone=UTC',
    statement_timeout: options.statementTimeoutMs,
    idle_in_transaction_session_timeout: 60_000,
    connectionTimeoutMillis: 10_000,
    keepAlive: true,
  })
  pool.on('error', options.onIdleError)

  async function once<Result>(work: (tx: Tx) => Promise<Result>): Promise<Result> {
    const client = await pool.connect()
    let broken: Error | undefined
    // The pool listens to idle connections only. One that is lost between two statements of a transaction would
    // otherwise end the whole process.
    const noteLoss = (error: Error) => {
      broken ??= error
    }
    client.on('error', noteLoss)
    const hints = new Set<string>()
    const announced: [topic: string, payload: unknown][] = []
    try {
      await client.query('begin')
      const tx = {
        ...readsOf(client),
        async run(query: Sql) {
          return (await client.query(statement(query))).rowCount ?? 0
        },
        announce(topic: string, payload?: unknown) {
          if (payload === undefined) hints.add(topic)
          else announced.push([topic, payload])
        },
        foreign: (text: string, given: readonly unknown[] = []) => client.query(text, [...given]),
      } as unknown as Tx
      const result = await work(tx)
      await client.query('commit')
      for (const topic of hints) options.onCommitted?.(topic, undefined)
      for (const [topic, payload] of announced) options.onCommitted?.(topic, payload)
      return result
    } catch (error) {
      // What came after the loss only says that there is no connection; the loss says why.
      const cause = broken ?? error
      await client.query('rollback').catch(noteLoss)
      throw cause
    } finally {
      client.off('error', noteLoss)
      client.release(broken)
    }
  }

  return {
    ...readsOf(pool),
    async transaction(work) {
      for (let attempt = 1; ; attempt++) {
        try {
          return await once(work)
        } catch (error) {
          if (attempt === tries || !worthAnotherTry.has((error as { code?: string }).code ?? '')) throw error
        }
      }
    },
    close: () => pool.end(),
  }
}

/** True for the database's complaint that a row with this key is there already. */
export const isDuplicate = (error: unknown, constraint: string): boolean =>
  (error as { code?: string }).code === '23505' && (error as { constraint?: string }).constraint === constraint
