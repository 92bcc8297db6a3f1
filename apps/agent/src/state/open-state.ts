import { chmodSync, closeSync, mkdirSync, openSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { type Database, openDatabase, synchronousAlways } from './database.ts'
import { migrations } from './migrations.ts'

/**
 * Opens what the agent remembers, for this process alone: tokens are in it, so nobody else may read the folder, and two
 * agents on one state would send everything twice.
 */
export function openState(folder: string): Database {
  ownFolder(folder)
  const path = join(folder, 'agent.db')
  // Made by us and not by SQLite, which would ask the umask who may read it. Its other files take after this one.
  closeSync(openSync(path, 'a', 0o600))
  chmodSync(path, 0o600)
  const db = openDatabase(path)
  try {
    lock(db, folder)
    // A step that makes a table anew must not take with it what refers to the old one.
    db.run('pragma foreign_keys = off')
    migrate(db, folder)
    db.run('pragma foreign_keys = on')
    return db
  } catch (error) {
    db.close()
    throw error
  }
}

function ownFolder(folder: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const { mode, uid } = statSync(folder)
  if (process.getuid === undefined) return
  if (uid !== process.getuid()) throw new Error(`The data folder '${folder}' belongs to somebody else. Choose another.`)
  if ((mode & 0o077) !== 0) {
    throw new Error(`Others may read the data folder '${folder}', and tokens are kept in it. Do: chmod 700 '${folder}'`)
  }
}

/** A lock of the operating system, which a killed process cannot leave behind. */
function lock(db: Database, folder: string): void {
  try {
    db.run('pragma locking_mode = exclusive')
    db.run('pragma journal_mode = wal')
    db.run(synchronousAlways)
    // The first write takes the lock, and keeps it.
    const { user_version: version } = db.all<Version>('pragma user_version')[0] ?? { user_version: 0 }
    db.transaction(() => db.run(`pragma user_version = ${version}`))
  } catch (cause) {
    const { errcode } = cause as { errcode?: number }
    if (errcode === sqliteBusy) throw new Error(`Another agent uses the data folder '${folder}'.`, { cause })
    if (errcode === sqliteCorrupt || errcode === sqliteNotADatabase) throw damaged(folder, cause)
    throw cause
  }
}

interface Version {
  readonly user_version: number
}

const sqliteBusy = 5
const sqliteCorrupt = 11
const sqliteNotADatabase = 26

const damaged = (folder: string, cause?: unknown) =>
  new Error(
    `What the agent remembers in '${folder}' is damaged. Move 'agent.db' away to begin anew; transfers in it are lost, packages and files are not.`,
    { cause },
  )

function migrate(db: Database, folder: string): void {
  const check = db.all<{ quick_check: string }>('pragma quick_check(1)')[0]
  if (check?.quick_check !== 'ok') throw damaged(folder)
  const { user_version: version } = db.all<Version>('pragma user_version')[0] ?? { user_version: 0 }
  if (version > migrations.length) {
    throw new Error(`The data folder '${folder}' was used by a newer version of the agent. Use that one.`)
  }
  for (const [index, step] of migrations.entries()) {
    if (index < version) continue
    db.transaction(() => {
      db.script(step)
      db.run(`pragma user_version = ${index + 1}`)
    })
  }
}
