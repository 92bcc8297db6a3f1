import { copyFile, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { agentFolder, bundleModules } from './bundle.ts'
import { noticesOf } from './notices.ts'

const root = join(agentFolder, '../..')

// A bundle is parsed whole before its first line runs, so an old Node must be told off by a file of its own.
const launcher = `#!/usr/bin/env node
const [major] = process.versions.node.split('.').map(Number)
if (major < 24) {
  console.error(\`longshore needs Node 24 or newer; this is \${process.versions.node}.\`)
  process.exit(1)
}
const { enableCompileCache } = await import('node:module')
enableCompileCache()
await import('../lib/longshore.js')
`

/** Makes a folder that \`npm publish\` and \`npm pack\` take as it is: one program, no dependencies, nothing to compile. */
export async function makePackage(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true })
  const metafile = await bundleModules(join(folder, 'lib'))
  const agent = JSON.parse(await readFile(join(agentFolder, 'package.json'), 'utf8')) as Record<string, string>
  const whole = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as Record<string, unknown>
  const about = {
    name: 'longshore',
    version: agent['version'],
    description: 'Send and fetch very large files: the command line and transfer agent of Longshore.',
    license: agent['license'],
    type: 'module',
    engines: whole['engines'],
    bin: { longshore: 'bin/longshore.js' },
    files: ['bin', 'lib', 'NOTICE', 'THIRD-PARTY'],
  }
  await mkdir(join(folder, 'bin'))
  await writeFile(join(folder, 'package.json'), `${JSON.stringify(about, null, 2)}\n`)
  await writeFile(join(folder, 'bin/longshore.js'), launcher, { mode: 0o755 })
  await writeFile(join(folder, 'THIRD-PARTY'), noticesOf(metafile, agentFolder))
  await copyFile(join(root, 'docs/longshore.md'), join(folder, 'README.md'))
  for (const file of ['LICENSE', 'NOTICE']) await copyFile(join(root, file), join(folder, file))
}
