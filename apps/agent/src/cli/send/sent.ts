import { access, constants } from 'node:fs/promises'
import { resolve } from 'node:path'
import { Misuse } from '#cli/misuse'

/** What every way of sending takes. */
export interface SentOptions {
  readonly name?: string
  readonly message?: string
  readonly priority?: number
}

/** Paths as the agent wants them. It runs in another folder, so they become absolute; what is missing is said at once. */
export async function pathsFrom(paths: readonly string[]): Promise<string[]> {
  const absolute = paths.map((path) => resolve(path))
  for (const [index, path] of absolute.entries()) {
    await access(path, constants.R_OK).catch((cause: NodeJS.ErrnoException) => {
      const why = cause.code === 'ENOENT' ? 'is not there' : 'may not be read'
      throw new Misuse(`${paths[index]} ${why}.`, { cause })
    })
  }
  return absolute
}

export const sentBody = (paths: readonly string[], { name, message, priority }: SentOptions) => ({
  paths: [...paths],
  ...(name === undefined ? {} : { package_name: name }),
  ...(message === undefined ? {} : { package_description: message }),
  ...(priority === undefined ? {} : { priority }),
})
