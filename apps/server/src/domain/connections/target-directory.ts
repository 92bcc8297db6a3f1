import { placeFault } from '@longshore/contract/names'
import { invalid } from '#domain/refusal'

/** A folder in another store, without slashes at its ends; empty for the root. What could lead elsewhere is refused. */
export function checkTargetDirectory(given: string): string {
  const folder = given.replace(/^\/+|\/+$/g, '')
  if (folder === '') return ''
  if (placeFault({ path: folder, name: 'x' }) !== undefined) {
    throw invalid('target_directory', 'must be names with single slashes between, none of them . or ..')
  }
  return folder
}
