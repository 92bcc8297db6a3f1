import type { Entry } from './queries.ts'

/** What an entry is chosen by: a folder has a slash at its end. */
export const keyOf = ({ kind, path }: Pick<Entry, 'kind' | 'path'>): string =>
  kind === 'directory' ? `${path}/` : path

/** Whether a folder above is chosen, which takes everything in it along. */
export const isInChosen = (chosen: ReadonlySet<string>, key: string): boolean =>
  [...key.matchAll(/\//g)].some(({ index }) => index < key.length - 1 && chosen.has(key.slice(0, index + 1)))

/**
 * What was chosen in any folders, as a transfer takes it: the folder that all of it lies in, and places below that one.
 * Names in the package begin there, so that nobody gets the way from the root with it.
 */
export function importOf(chosen: ReadonlySet<string>): { readonly folder: string; readonly paths: readonly string[] } {
  const keys = [...chosen].filter((key) => !isInChosen(chosen, key))
  const parents = keys.map((key) => key.split('/').slice(0, key.endsWith('/') ? -2 : -1))
  const [first = [], ...others] = parents
  const shared = first.findIndex((name, depth) => others.some((names) => names[depth] !== name))
  const folder = (shared === -1 ? first : first.slice(0, shared)).join('/')
  return { folder, paths: keys.map((key) => (folder === '' ? key : key.slice(folder.length + 1))) }
}
