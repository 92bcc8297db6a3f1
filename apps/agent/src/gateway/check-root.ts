import { access, constants, realpath, stat } from 'node:fs/promises'
import { isAbsolute } from 'node:path'
import { invalid, Refusal } from '@longshore/kit/refusal'
import { isWithin } from '#transfers/check-paths'

/**
 * The folder that is to become reachable, as it is really called: a link that is turned elsewhere later does not turn the
 * gateway with it.
 */
export async function checkRoot(path: string, permissions: 'r' | 'w' | 'rw', dataDir: string): Promise<string> {
  if (!isAbsolute(path)) throw noRoot(`'${path}' is not an absolute path.`)
  const real = await realpath(path).catch((cause: unknown) => {
    throw noRoot(`There is nothing at '${path}'.`, cause)
  })
  if (!(await stat(real)).isDirectory()) throw noRoot(`'${path}' is not a folder.`)
  const wanted =
    constants.X_OK | (permissions.includes('r') ? constants.R_OK : 0) | (permissions.includes('w') ? constants.W_OK : 0)
  await access(real, wanted).catch((cause: unknown) => {
    throw noRoot(`'${path}' may not be ${permissions === 'r' ? 'read' : 'written'} by the agent.`, cause)
  })
  // Whoever can look into it, or write to it, would have the tokens of the agent.
  if (isWithin(real, dataDir) || isWithin(dataDir, real)) {
    throw invalid('root_path', 'must be apart from the data folder of the agent')
  }
  return real
}

const noRoot = (reason: string, cause?: unknown) =>
  new Refusal('path_not_found', reason, { details: [{ field: 'root_path', reason }], cause })
