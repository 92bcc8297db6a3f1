import { renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Where a running agent is reached. */
export interface Note {
  readonly url: string
  readonly pid: number
  readonly token_file?: string
}

/**
 * Leaves word in the data folder, which nobody else may write to: a program that looks for its owner's agent must not
 * fall for another one that sits at a well-known port. Answers how to take it away again.
 */
export function leaveNote(folder: string, note: Note): () => void {
  const path = join(folder, 'agent.json')
  const draft = `${path}.${process.pid}`
  writeFileSync(draft, `${JSON.stringify(note)}\n`, { mode: 0o600 })
  renameSync(draft, path)
  return () => rmSync(path, { force: true })
}
