import { placeFault } from '@longshore/contract/names'
import { invalid } from '#domain/refusal'

/** Whether a path of an import names a folder. The empty one is the folder that all of them are below. */
export const isFolder = (path: string): boolean => path === '' || path.endsWith('/')

/** The paths of an import, each once, and none that lies in another. What no package could hold is refused. */
export function checkImportPaths(given: readonly string[]): string[] {
  for (const [index, path] of given.entries()) {
    const fault = path === '' ? undefined : placeFault(placeOf(path.replace(/\/$/, '')))
    if (fault !== undefined) {
      throw invalid(
        `paths/${index}`,
        `must be a file, or a folder with one slash at its end: its ${fault.field} ${fault.reason}`,
      )
    }
  }
  const wanted = new Set(given)
  return [...wanted].filter((path) => !foldersAbove(path).some((folder) => wanted.has(folder)))
}

/** An entry by its whole path. */
export function placeOf(full: string): { readonly path: string; readonly name: string } {
  const slash = full.lastIndexOf('/')
  // A slash in front stays in the name, where it is refused.
  return slash < 1 ? { path: '', name: full } : { path: full.slice(0, slash), name: full.slice(slash + 1) }
}

/** Of `a/b/c.mov`: nothing, `a/` and `a/b/`. */
function foldersAbove(path: string): string[] {
  if (path === '') return []
  const names = path.replace(/\/$/, '').split('/')
  return names.map((_, depth) =>
    names
      .slice(0, depth)
      .map((name) => `${name}/`)
      .join(''),
  )
}
