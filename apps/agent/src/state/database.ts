import type { Outlives } from '@longshore/transfer/ports'
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite'

/** The one place that knows the database driver. Everything in it is synchronous, so no two pieces of work mix. */
export interface Database {
  /** Answers how many rows were changed. */
  readonly run: (sql: string, ...values: SQLInputValue[]) => number
  readonly all: <Row>(sql: string, ...values: SQLInputValue[]) => Row[]
  readonly each: <Row>(sql: string, ...values: SQLInputValue[]) => IterableIterator<Row>
  /** Several statements at once, without values. */
  readonly script: (sql: string) => void
  /** All of it, or none. Durable once it returns. */
  readonly transaction: <Result>(work: () => Result) => Result
  /** The same for what nobody would miss after a crash of the machine; it does not wait for the disk. */
  readonly passing: (work: () => void) => void
  /**
   * Durable once it resolves. What is asked for at about the same time goes into one commit, because each commit waits
   * for the disk. One that need only outlive the program does not, and while it waits, nothing else can be done here.
   */
  readonly soon: (outlive: Outlives, work: () => void) => Promise<void>
  readonly close: () => void
}

/** Whether the database could not do what it was asked: the disk is full or broken. */
export const isStateTrouble = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'ERR_SQLITE_ERROR'

/** A promise kept in here must survive the loss of power, not only of the process. */
export const synchronousAlways = 'pragma synchronous = full'

// So long notes wait for company. A disk takes about as long to make a commit durable.
const gatherMs = 3

export function openDatabase(path: string): Database {
  const db = new DatabaseSync(path, { timeout: 0 })
  const statements = new Map<string, StatementSync>()
  const prepared = (sql: string) => {
    const statement = statements.get(sql) ?? db.prepare(sql)
    statements.set(sql, statement)
    return statement
  }

  const transaction = <Result>(work: () => Result): Result => {
    db.exec('begin immediate')
    try {
      const result = work()
      db.exec('commit')
      return result
    } catch (error) {
      if (db.isTransaction) db.exec('rollback')
      throw error
    }
  }

  const passing = (work: () => void) => {
    db.exec('pragma synchronous = normal')
    try {
      transaction(work)
    } finally {
      db.exec(synchronousAlways)
    }
  }

  let waiting: { readonly outlive: Outlives; readonly work: () => void; readonly done: PromiseWithResolvers<void> }[] =
    []
  const commitWaiting = () => {
    const group = waiting
    waiting = []
    if (group.length === 0) return
    const doAll = () => {
      for (const { work } of group) work()
    }
    try {
      if (group.some(({ outlive }) => outlive === 'machine')) transaction(doAll)
      else passing(doAll)
      for (const { done } of group) done.resolve()
    } catch (error) {
      for (const { done } of group) done.reject(error)
    }
  }

  return {
    run: (sql, ...values) => Number(prepared(sql).run(...values).changes),
    all: <Row>(sql: string, ...values: SQLInputValue[]) => prepared(sql).all(...values) as Row[],
    // Prepared anew: two readers of one statement would take each other's rows.
    each: <Row>(sql: string, ...values: SQLInputValue[]) =>
      db.prepare(sql).iterate(...values) as unknown as IterableIterator<Row>,
    script: (sql) => db.exec(sql),
    transaction,
    passing,
    soon: (outlive, work) => {
      const done = Promise.withResolvers<void>()
      if (waiting.length === 0) setTimeout(commitWaiting, gatherMs)
      waiting.push({ outlive, work, done })
      return done.promise
    },
    close: () => {
      commitWaiting()
      db.close()
    },
  }
}
