import { execFile } from 'node:child_process'
import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const run = promisify(execFile)
const builder = fileURLToPath(new URL('../../../apps/agent/build/main.ts', import.meta.url))

/** Builds the package and answers the command in it. */
export async function builtLongshore(folder: string): Promise<string> {
  await run(process.execPath, [builder, '--no-executable', '--out', folder])
  const place = join(folder, 'bin')
  await mkdir(place)
  await symlink(join(folder, 'package/bin/longshore.js'), join(place, 'longshore'))
  return join(place, 'longshore')
}

/** Builds the single file that needs no Node, and answers it. */
export async function executableLongshore(folder: string): Promise<string> {
  await run(process.execPath, [builder, '--out', folder])
  return join(folder, 'executable/longshore')
}

/** Builds the package, packs it and installs the tarball as a user does, without a network. */
export async function installedLongshore(folder: string): Promise<string> {
  await builtLongshore(folder)
  const tarballs = ['pack', '--json', '--pack-destination', folder]
  const { stdout } = await run('npm', tarballs, { cwd: join(folder, 'package') })
  const [packed] = JSON.parse(stdout) as readonly { readonly filename: string }[]
  if (packed === undefined) throw new Error(`npm pack said nothing of use: ${stdout}`)
  const place = join(folder, 'installed')
  await mkdir(place)
  await writeFile(join(place, 'package.json'), '{"private": true}')
  const install = ['install', '--offline', '--ignore-scripts', '--no-audit', '--no-fund', join(folder, packed.filename)]
  await run('npm', install, { cwd: place })
  return join(place, 'node_modules/.bin/longshore')
}
