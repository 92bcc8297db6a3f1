import { fullPath, type Place } from '@longshore/contract/names'
import { ObjectChanged, ObjectGone, StorageRefusal } from '#blob/storage-errors'
import { explainFault } from '#domain/connections/faults'

/** What is wrong with that which is to be imported, in words for whoever wants it. Trying again by itself is of no use. */
export class SourceFault extends Error {}

/** What went wrong with one file, by its name where that tells anything. */
export function faultOf(place: Place, error: unknown): unknown {
  const name = shown(fullPath(place))
  if (error instanceof ObjectChanged || error instanceof ObjectGone) {
    return new SourceFault(`'${name}' was changed or removed before all of it had arrived.`, { cause: error })
  }
  if (error instanceof StorageRefusal) return new SourceFault(`'${name}': ${explainFault(error)}`, { cause: error })
  return error
}

const longestShown = 300

/** A key for people: they come as they are, and may hold what no text should. */
export const shown = (key: string): string =>
  key
    .slice(0, longestShown)
    .replaceAll(/[\u0000-\u001f\u007f]/g, '\uFFFD')
    .toWellFormed()
