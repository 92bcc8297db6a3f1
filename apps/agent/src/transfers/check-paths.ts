import { access, constants, realpath } from 'node:fs/promises'
import { isAbsolute, sep } from 'node:path'
import { Refusal } from '@longshore/kit/refusal'

/** Makes sure that there is something to send, while whoever asked can still be told. */
export async function checkPaths(paths: readonly string[], dataDir: string): Promise<void> {
  const details = (await Promise.all(paths.map(async (path) => whatIsWrong(path, dataDir)))).flatMap((reason, index) =>
    reason === undefined ? [] : [{ field: `paths/${index}`, reason }],
  )
  const [first] = details
  if (first === undefined) return
  throw new Refusal('path_not_found', first.reason, { details: details.slice(0, 20) })
}

async function whatIsWrong(path: string, dataDir: string): Promise<string | undefined> {
  if (!isAbsolute(path)) return `'${path}' is not an absolute path.`
  try {
    const real = await realpath(path)
    if (isWithin(real, dataDir)) return `'${path}' belongs to the agent itself and is not sent.`
    await access(real, constants.R_OK)
    return undefined
  } catch (error) {
    const { code } = error as { code?: string }
    const denied = code === 'EACCES' || code === 'EPERM'
    return denied ? `'${path}' may not be read by the agent.` : `There is nothing at '${path}'.`
  }
}

/** Both are paths without links. */
export const isWithin = (path: string, folder: string): boolean =>
  path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep)
