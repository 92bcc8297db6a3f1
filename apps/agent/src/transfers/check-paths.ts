import { access, constants, realpath, stat } from 'node:fs/promises'
import { basename, isAbsolute, resolve, sep } from 'node:path'
import { Refusal } from '@longshore/kit/refusal'

/** Makes sure that there is something to send, and that all of it can be, while whoever asked can still be told. */
export async function checkPaths(paths: readonly string[], dataDir: string): Promise<void> {
  const looked = await Promise.all(paths.map((path) => lookAt(path, dataDir)))
  const byName = new Map<string, string>()
  const details = looked.flatMap(({ path, real, reason }, index) => {
    const known = byName.get(basename(resolve(path)))
    if (real !== undefined && known === undefined) byName.set(basename(resolve(path)), real)
    // The same one twice is no harm.
    const isTwin = real !== undefined && known !== undefined && known !== real
    const wrong = isTwin ? `'${path}' has the name of another path. Send the two apart, or a folder with both.` : reason
    return wrong === undefined ? [] : [{ field: `paths/${index}`, reason: wrong }]
  })
  const [first] = details
  if (first === undefined) return
  throw new Refusal('path_not_found', first.reason, { details: details.slice(0, 20) })
}

interface Looked {
  readonly path: string
  /** Where it leads; undefined for one that cannot be sent. */
  readonly real?: string
  readonly reason?: string
}

async function lookAt(path: string, dataDir: string): Promise<Looked> {
  if (!isAbsolute(path)) return { path, reason: `'${path}' is not an absolute path.` }
  try {
    const real = await realpath(path)
    if (isWithin(real, dataDir)) return { path, reason: `'${path}' belongs to the agent itself and is not sent.` }
    await access(real, constants.R_OK)
    const stats = await stat(real)
    return stats.isFile() || stats.isDirectory() ? { path, real } : { path, reason: `'${path}' is no file or folder.` }
  } catch (error) {
    const { code } = error as { code?: string }
    const denied = code === 'EACCES' || code === 'EPERM'
    return { path, reason: denied ? `'${path}' may not be read by the agent.` : `There is nothing at '${path}'.` }
  }
}

/** Both are paths without links. */
export const isWithin = (path: string, folder: string): boolean =>
  path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep)
