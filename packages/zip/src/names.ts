import type { Platform } from '#entry'
import { rootSpot, type Spot, spotWithin, Taken } from '#taken'

/** A file or folder as the sender named it. */
export interface Given {
  /** The folder it lies in, `/` between its components; empty for the root. */
  readonly path: string
  readonly name: string
  readonly kind: 'file' | 'directory'
}

/** Tells the name that an entry has in the archive unless something stands there already. */
export function plainNames(platform: Platform): (given: Given) => string {
  // Neighbours mostly lie in the same folder.
  let last = { path: '', plain: '' }
  const clean = platform === 'windows' ? windowsComponent : (component: string) => component

  return ({ path, name, kind }) => {
    if (path !== last.path) {
      last = { path, plain: path === '' ? '' : `${path.split('/').map(clean).join('/')}/` }
    }
    return last.plain + clean(name) + (kind === 'directory' ? '/' : '')
  }
}

/** The name that an entry got. */
export interface Named {
  /** Undefined for a folder that is in the archive already. */
  readonly name: string | undefined
  /** Whether it is the one that `plainNames` tells. */
  readonly isPlain: boolean
}

/** Gives out names for one archive, in the order of its entries. */
export type Namer = (given: Given) => Named

export function namer(platform: Platform): Namer {
  if (platform === 'windows') return windowsNamer()
  const plain = plainNames('mac')
  return (given) => ({ name: plain(given), isPlain: true })
}

/** A folder in the archive, with the slash behind it. */
interface Folder {
  readonly path: string
  readonly placed: string
  readonly spot: Spot
  /** Whether it could have its own name, and all above it theirs. */
  readonly isPlain: boolean
}

/**
 * Names for Windows: cleaned, and numbered where they meet one that differs in case, form or replaced characters alone.
 * Folders that become the same are one folder. A name depends on the entries before it and on nothing else.
 */
function windowsNamer(): Namer {
  const taken = new Taken()
  /** Where folders went that could not have their own name. No file comes there later, so they stay. */
  const moved = new Map<string, string>()
  const root: Folder = { path: '', placed: '', spot: rootSpot, isPlain: true }
  let last = root

  const spotOf = (folder: Folder, name: string) => spotWithin(folder.spot, folded(name))

  /** A folder may go where a folder is, and not where a file is. */
  function folderName(within: Folder, name: string): string {
    if (taken.at(spotOf(within, name)) !== 'file') return name
    const wanted = folded(within.placed + name)
    const known = moved.get(wanted)
    if (known !== undefined) return known
    const free = freeName(name, '', (name) => taken.at(spotOf(within, name)) === 'file')
    moved.set(wanted, free)
    return free
  }

  function folderAt(path: string): Folder {
    let folder = root
    for (const component of path.split('/')) {
      const clean = windowsComponent(component)
      const name = folderName(folder, clean)
      const spot = spotOf(folder, name)
      taken.put(spot, 'implied folder')
      const isPlain = folder.isPlain && name === clean
      folder = { path, placed: `${folder.placed}${name}/`, spot: spotWithin(spot, '/'), isPlain }
    }
    return folder
  }

  function nameFolder(folder: Folder, clean: string): Named {
    const name = folderName(folder, clean)
    const spot = spotOf(folder, name)
    if (taken.at(spot) === 'folder') return { name: undefined, isPlain: false }
    taken.set(spot, 'folder')
    return { name: `${folder.placed}${name}/`, isPlain: folder.isPlain && name === clean }
  }

  return ({ path, name, kind }) => {
    // Neighbours mostly lie in the same folder.
    if (path !== last.path) last = path === '' ? root : folderAt(path)
    const folder = last
    const clean = windowsComponent(name)
    if (kind === 'directory') return nameFolder(folder, clean)
    if (taken.put(spotOf(folder, clean), 'file')) return { name: folder.placed + clean, isPlain: folder.isPlain }
    const [stem, extension] = stemAndExtension(clean)
    const free = freeName(stem, extension, (name) => taken.at(spotOf(folder, name)) !== undefined)
    taken.put(spotOf(folder, free), 'file')
    return { name: folder.placed + free, isPlain: false }
  }
}

/** `stem.ext`, or `stem (2).ext` and so on, with a number that is free: the first one, as far as a few looks can tell. */
export function freeName(stem: string, extension: string, isTaken: (name: string) => boolean): string {
  const numbered = (number: number) => fitting(stem, number === 1 ? extension : ` (${number})${extension}`)
  // By doubling and halving: a package may hold a million names that all become the same one.
  let above = 1
  while (isTaken(numbered(above))) above *= 2
  let below = above / 2
  while (above - below > 1) {
    const middle = Math.floor((above + below) / 2)
    if (isTaken(numbered(middle))) below = middle
    else above = middle
  }
  return numbered(above)
}

// What NTFS takes for one component, in UTF-16 units.
const longestComponent = 255

function fitting(stem: string, suffix: string): string {
  const room = Math.max(1, longestComponent - suffix.length)
  if (stem.length <= room) return stem + suffix
  // Half of a character would be none.
  const cut = stem.slice(0, room)
  return `${cut.isWellFormed() ? cut : cut.slice(0, -1)}${suffix}`
}

export function stemAndExtension(name: string): [stem: string, extension: string] {
  const dot = name.lastIndexOf('.')
  return dot > 0 ? [name.slice(0, dot), name.slice(dot)] : [name, '']
}

/** Two names with the same folded form may be the same file somewhere: case, composed forms, ligatures, widths. */
const folded = (place: string): string =>
  ascii.test(place) ? place.toLowerCase() : place.normalize('NFKC').toUpperCase().toLowerCase()

const ascii = /^[\x20-\x7e]*$/
const refusedCharacters = /[<>:"|?*\\/\u0000-\u001f\u007f]/g
const trailing = /[. ]+$/
// Devices since MS-DOS, with any extension. Superscript digits count as digits there.
const device = /^(con|prn|aux|nul|conin\$|conout\$|com[0-9¹²³]|lpt[0-9¹²³])[ ]*(\.|$)/i

// One look for most names: nothing above plain ASCII, nothing refused, no end and no beginning that might need care.
const doubtful = /[^ !#-)+-.0-9;=@-[\]-{}~]|[. ]$|^(con|prn|aux|nul|com|lpt)/i

/** One component as Windows can store it. */
function windowsComponent(component: string): string {
  if (!doubtful.test(component)) return component
  const composed = ascii.test(component) ? component : component.normalize('NFC')
  const clean = composed.replaceAll(refusedCharacters, '_').replace(trailing, '') || '_'
  return device.test(clean) ? fitting(`_${clean}`, '') : clean
}
