import { maxNameBytes, maxPathBytes } from '#limits'

/** Where an entry stands in its package. */
export interface Place {
  /** The folder, `/` between its components; empty for the root. */
  readonly path: string
  readonly name: string
}

export interface PlaceFault {
  readonly field: 'name' | 'path'
  readonly reason: string
}

export const fullPath = ({ path, name }: Place): string => (path === '' ? name : `${path}/${name}`)

/**
 * What is wrong with a place, or undefined. Names are data and are kept as they are; refused is only what no file
 * system could hold, or what could lead out of the folder that somebody downloads into.
 */
export function placeFault(place: Place): PlaceFault | undefined {
  const name = componentFault(place.name)
  if (name !== undefined) return { field: 'name', reason: name }
  for (const component of place.path === '' ? [] : place.path.split('/')) {
    const fault = componentFault(component)
    if (fault !== undefined) return { field: 'path', reason: `${fault} (between its slashes)` }
  }
  if (isLonger(fullPath(place), maxPathBytes)) {
    return { field: 'path', reason: `must be at most ${maxPathBytes} bytes together with the name` }
  }
  return undefined
}

const controlCharacter = /[\u0000-\u001f\u007f]/

function componentFault(component: string): string | undefined {
  if (component === '') return 'must not be empty'
  if (component === '.' || component === '..') return 'must not be . or ..'
  if (component.includes('/')) return 'must not contain a slash'
  if (component.includes('\\')) return 'must not contain a backslash'
  if (controlCharacter.test(component)) return 'must not contain control characters'
  if (!component.isWellFormed()) return 'must be valid Unicode'
  if (isLonger(component, maxNameBytes)) return `must be at most ${maxNameBytes} bytes`
  return undefined
}

const encoder = new TextEncoder()

/** A UTF-16 unit becomes one to three bytes, so most texts need not be encoded to know. */
const isLonger = (text: string, bytes: number) =>
  text.length > bytes || (text.length * 3 > bytes && encoder.encode(text).length > bytes)
