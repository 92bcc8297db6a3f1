import { fullPath, type Place, placeFault } from '@longshore/contract/names'
import { invalid, type Refusal } from '#domain/refusal'

/** The folders an entry stands in, outermost first. */
export function foldersAbove(path: string): Place[] {
  const places: Place[] = []
  let above = ''
  for (const name of path === '' ? [] : path.split('/')) {
    places.push({ path: above, name })
    above = fullPath({ path: above, name })
  }
  return places
}

/** The refusal of a place that no package can have; `field` is what stands before its name in the call. */
export function refusedPlace(place: Place, field = ''): Refusal | undefined {
  const fault = placeFault(place)
  return fault === undefined ? undefined : invalid(`${field}${fault.field}`, fault.reason)
}
