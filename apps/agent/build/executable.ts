import { execFileSync } from 'node:child_process'
import { chmod, copyFile, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { inject } from 'postject'
import { agentFolder, bundleForExecutable } from './bundle.ts'
import { noticesOf } from './notices.ts'

// Marks the place in the binary of Node that says whether a program is inside; given by Node's documentation.
const fuse = 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2'

/** Makes one file that runs where nothing is installed: Node itself, with the program inside. */
export async function makeExecutable(folder: string): Promise<string> {
  await rm(folder, { recursive: true, force: true })
  await mkdir(folder, { recursive: true })
  const [script, thread, blob] = ['longshore.cjs', 'hash-thread.mjs', 'longshore.blob'].map((name) =>
    join(folder, name),
  ) as [string, string, string]
  const metafile = await bundleForExecutable(script, thread)
  const config = join(folder, 'sea.json')
  await writeFile(
    config,
    JSON.stringify({
      main: script,
      output: blob,
      disableExperimentalSEAWarning: true,
      useCodeCache: true,
      assets: { 'hash-thread.mjs': thread },
    }),
  )
  execFileSync(process.execPath, ['--experimental-sea-config', config], { stdio: ['ignore', 'ignore', 'inherit'] })
  const executable = join(folder, process.platform === 'win32' ? 'longshore.exe' : 'longshore')
  await copyFile(process.execPath, executable)
  await chmod(executable, 0o755)
  await inject(executable, 'NODE_SEA_BLOB', await readFile(blob), { sentinelFuse: fuse })
  await writeFile(join(folder, 'THIRD-PARTY'), noticesOf(metafile, agentFolder))
  for (const file of [script, thread, blob, config]) await rm(file)
  return executable
}
