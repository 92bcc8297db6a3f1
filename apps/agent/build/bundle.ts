import { join } from 'node:path'
import { build, type BuildOptions, type Metafile, type Plugin } from 'esbuild'

export const agentFolder = join(import.meta.dirname, '..')

const shared = {
  bundle: true,
  platform: 'node',
  target: 'node24',
  metafile: true,
  legalComments: 'none',
  logLevel: 'warning',
  absWorkingDir: agentFolder,
} as const satisfies BuildOptions

const hashThread = 'src/host/hash-thread.ts'

/** Modules for Node, in pieces: a command loads what it needs, and help next to nothing. */
export async function bundleModules(outdir: string): Promise<Metafile> {
  const { metafile } = await build({
    ...shared,
    entryPoints: { longshore: 'src/longshore.ts', 'hash-thread': hashThread },
    outdir,
    format: 'esm',
    splitting: true,
    // Libraries that are no modules ask for Node's own by `require`.
    banner: {
      js: "import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(import.meta.url);",
    },
  })
  return metafile
}

/** One script, as Node wants it for an executable, and the thread that it starts, which becomes an asset of it. */
export async function bundleForExecutable(script: string, thread: string): Promise<Metafile> {
  await build({ ...shared, entryPoints: [hashThread], outfile: thread, format: 'esm' })
  const { metafile } = await build({
    ...shared,
    entryPoints: ['src/longshore.ts'],
    outfile: script,
    format: 'cjs',
    plugins: [threadsFromAssets],
  })
  return metafile
}

/** An executable has no files beside it, so its threads come out of itself. */
const threadsFromAssets: Plugin = {
  name: 'threads-from-assets',
  setup({ onResolve }) {
    onResolve({ filter: /^#host\/hash-script$/ }, () => ({
      path: join(import.meta.dirname, 'hash-script-from-asset.ts'),
    }))
  },
}
