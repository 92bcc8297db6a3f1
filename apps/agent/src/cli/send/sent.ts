import { access, constants } from 'node:fs/promises'
import { basename, posix, resolve, win32 } from 'node:path'
import { placeFault } from '@longshore/contract/names'
import { Misuse } from '#cli/misuse'
import { harmless } from '#cli/terminal/text'

/** What every way of sending takes. */
export interface SentOptions {
  readonly name?: string
  readonly message?: string
  readonly priority?: number
}

/** Paths as the agent wants them. It runs in another folder, so they become absolute; what is missing is said at once. */
export async function pathsHere(paths: readonly string[]): Promise<string[]> {
  for (const path of paths) {
    await access(path, constants.R_OK).catch((cause: NodeJS.ErrnoException) => {
      throw new Misuse(`${path} ${cause.code === 'ENOENT' ? 'is not there' : 'may not be read'}.`, { cause })
    })
    const fault = placeFault({ path: '', name: basename(resolve(path)) })
    if (fault === undefined) continue
    throw new Misuse(`${harmless(path)} cannot be sent: a name in a package ${fault.reason}. Rename it first.`)
  }
  return paths.map((path) => resolve(path))
}

/** Paths on the host of an agent elsewhere, which only that agent can look at. */
export function pathsElsewhere(paths: readonly string[]): readonly string[] {
  const relative = paths.find((path) => !posix.isAbsolute(path) && !win32.isAbsolute(path))
  if (relative === undefined) return paths
  throw new Misuse(`'${relative}' is looked for on the host of the agent, so it must be an absolute path.`)
}

export const sentBody = (paths: readonly string[], { name, message, priority }: SentOptions) => ({
  paths: [...paths],
  ...(name === undefined ? {} : { package_name: name }),
  ...(message === undefined ? {} : { package_description: message }),
  ...(priority === undefined ? {} : { priority }),
})
