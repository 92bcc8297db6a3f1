import { maxNameBytes } from '@longshore/contract/limits'
import { fullPath, type Place, placeFault } from '@longshore/contract/names'
import { HostFault } from '@longshore/transfer/faults'

/**
 * Names that came from somebody else, made into names on this machine. The server has refused the worst of them; here
 * nothing is taken for granted, since it is this disk that is written to.
 */

/** The folders and the name of an entry as they are made here. Throws `HostFault` for what no folder of ours may hold. */
export function localComponents(place: Place, platform: NodeJS.Platform = process.platform): [...string[], string] {
  const fault = placeFault(place)
  if (fault !== undefined) {
    throw new HostFault('destination_refused', `${shown(fullPath(place))}: its ${fault.field} ${fault.reason}.`)
  }
  const folders = place.path === '' ? [] : place.path.split('/')
  const local = (component: string) => (platform === 'win32' ? windowsComponent(component) : component)
  return [...folders.map(local), local(place.name)]
}

/** The same for the folders of a whole path; none for the empty one. */
export const folderComponents = (path: string): readonly string[] => localComponents({ path, name: '_' }).slice(0, -1)

// A component may have 255 bytes, and a number may have to be put behind it.
const mostFolderBytes = 200

/** A folder for a package, named after it as far as that is safe on every system. */
export function packageFolder(name: string): string {
  const oneLine = name
    .normalize('NFC')
    .toWellFormed()
    .replaceAll(/[/\\<>:"|?*\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim()
  const short = cut(oneLine, mostFolderBytes).trim()
  // Dots in front would hide it, or be another folder altogether.
  const visible = short.replace(/^[. ]+/, '')
  return visible === '' ? 'Package' : windowsComponent(visible)
}

/** `name (2).ext` and so on, for a name that is taken. */
export function numbered(name: string, number: number): string {
  const dot = name.lastIndexOf('.')
  // What is longer is no extension but a sentence with a dot in it.
  const [stem, extension] = dot > 0 && name.length - dot <= 20 ? [name.slice(0, dot), name.slice(dot)] : [name, '']
  const suffix = ` (${number})${extension}`
  return cut(stem, maxNameBytes - Buffer.byteLength(suffix)) + suffix
}

/** The beginning of a text, in so many bytes and whole characters. */
function cut(text: string, bytes: number): string {
  let { length } = text
  while (Buffer.byteLength(text.slice(0, length)) > bytes || !text.slice(0, length).isWellFormed()) length--
  return text.slice(0, length)
}

// Devices since MS-DOS, with any extension. Superscript digits count as digits there.
const device = /^(con|prn|aux|nul|conin\$|conout\$|com[0-9¹²³]|lpt[0-9¹²³]) *(\.|$)/i

/** As Windows can hold it. A colon would open a stream of another file, a dot or blank at the end is left out silently. */
function windowsComponent(component: string): string {
  const clean = component.replaceAll(/[<>:"|?*]/g, '_').replace(/[. ]+$/, '') || '_'
  return device.test(clean) ? `_${clean}` : clean
}

/** Names of strangers go into messages and onto terminals. */
const shown = (text: string) => JSON.stringify(text.length > 200 ? `${text.slice(0, 200)}…` : text)
