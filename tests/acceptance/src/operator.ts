import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { repository, target } from '#target'

/** The operator's command, as an operator runs it beside the server. */
export async function operate(...args: readonly string[]): Promise<string> {
  const script = join(repository, 'apps/server/src/start/operate.ts')
  const env = { PATH: process.env['PATH'] ?? '', HOME: process.env['HOME'] ?? '/', ...target.env }
  const { stdout } = await promisify(execFile)(process.execPath, [script, ...args], { env })
  return stdout
}

export const suspendKey = (id: string): Promise<string> => operate('suspend-key', id)
