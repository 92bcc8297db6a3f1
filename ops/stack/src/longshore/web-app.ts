import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { globSync, statSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../../../..', import.meta.url))
const built = 'apps/web/dist/console.html'
const sources = [
  'apps/web/*.{html,json,ts}',
  'apps/web/{src,build}/**',
  'packages/{client,contract,transfer}/src/**',
  'package-lock.json',
]

const changedAt = (file: string) => statSync(`${root}/${file}`, { throwIfNoEntry: false })?.mtimeMs ?? 0

/** Builds the web app if there is no build, or one that is older than its sources. */
export async function buildWebApp(say: (line: string) => void): Promise<void> {
  const builtAt = changedAt(built)
  if (globSync(sources, { cwd: root }).every((file) => changedAt(file) <= builtAt)) return
  say('Building the web app …')
  const child = spawn(process.execPath, ['apps/web/build/main.ts', '--logLevel', 'warn'], {
    cwd: root,
    // Standard output of the demo is its one line.
    stdio: ['ignore', 2, 2],
  })
  const [code] = (await once(child, 'exit')) as [number | null]
  if (code !== 0) throw new Error('The web app cannot be built; see above.')
}
