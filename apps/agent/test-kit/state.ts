import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import type { Database } from '#state/database'
import { openState } from '#state/open-state'

/** A state of its own for one test. */
export function openTestState(t: TestContext): Database {
  const folder = mkdtempSync(join(tmpdir(), 'agent-state-'))
  const db = openState(folder)
  t.after(() => {
    db.close()
    rmSync(folder, { recursive: true, force: true })
  })
  return db
}
