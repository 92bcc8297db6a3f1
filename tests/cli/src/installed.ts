import { execFile } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const run = promisify(execFile)
const builder = fileURLToPath(new URL('../../../apps/agent/build/main.ts', import.meta.url))

/** Builds the package, packs it and installs the tarball as a user does, without a network. Answers the command. */
export async function installLongshore(folder: string): Promise<string> {
  const out = join(folder, 'dist')
  const place = join(folder, 'installed')
  await run(process.execPath, [builder, '--no-executable', '--out', out])
  const { stdout } = await run('npm', ['pack', '--json', '--pack-destination', folder], { cwd: join(out, 'package') })
  const [packed] = JSON.parse(stdout) as readonly { readonly filename: string }[]
  if (packed === undefined) throw new Error(`npm pack said nothing of use: ${stdout}`)
  await mkdir(place)
  await writeFile(join(place, 'package.json'), '{"private": true}')
  await run(
    'npm',
    ['install', '--offline', '--ignore-scripts', '--no-audit', '--no-fund', join(folder, packed.filename)],
    {
      cwd: place,
    },
  )
  return join(place, 'node_modules/.bin/longshore')
}
