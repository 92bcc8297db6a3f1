import { maxNameBytes, maxPathBytes } from '@longshore/contract/limits'
import { invalid, type Refusal } from '#domain/refusal'

/** Where an entry stands in its package. */
export interface Place {
  readonly path: string
  readonly name: string
}

export const fullPath = ({ path, name }: Place): string => (path === '' ? name : `${path}/${name}`)

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

const controlCharacter = /[\u0000-\u001f\u007f]/

/**
 * What is wrong with a place, or undefined. Names are data and are kept as they are; refused is only what no file
 * system could hold, or what could lead out of the folder that somebody downloads into.
 */
export function placeFault(place: Place, field = ''): Refusal | undefined {
  const name = componentFault(place.name)
  if (name !== undefined) return invalid(`${field}name`, name)
  for (const component of place.path === '' ? [] : place.path.split('/')) {
    const fault = componentFault(component)
    if (fault !== undefined) return invalid(`${field}path`, `${fault} (between its slashes)`)
  }
  if (Buffer.byteLength(fullPath(place)) > maxPathBytes) {
    return invalid(`${field}path`, `must be at most ${maxPathBytes} bytes together with the name`)
  }
  return undefined
}

function componentFault(component: string): string | undefined {
  if (component === '') return 'must not be empty'
  if (component === '.' || component === '..') return 'must not be . or ..'
  if (component.includes('/')) return 'must not contain a slash'
  if (component.includes('\\')) return 'must not contain a backslash'
  if (controlCharacter.test(component)) return 'must not contain control characters'
  if (!component.isWellFormed()) return 'must be valid Unicode'
  if (Buffer.byteLength(component) > maxNameBytes) return `must be at most ${maxNameBytes} bytes`
  return undefined
}
