import { hash } from 'node:crypto'
import { fullPath, type Place } from '@longshore/contract/names'

// No store takes a longer key.
const longestKey = 1_024
const longestFolderName = 120

/**
 * The folder of a package: its name, as far as that can be a name, and the end of its id. Two packages of one name do not
 * write into each other's files, and one that is sent twice comes to lie where it lay before.
 */
export function packageFolder(pkg: { readonly id: string; readonly name: string }): string {
  const plain = cutTo(
    pkg.name
      .replaceAll(/[\u0000-\u001f\u007f/\\]/g, '_')
      .toWellFormed()
      .trim(),
    longestFolderName,
  )
  return `${plain === '' ? 'package' : plain}-${pkg.id.slice(-8)}`
}

export const inFolder = (folder: string, name: string): string => (folder === '' ? name : `${folder}/${name}`)

/** Where a file goes. Names stay as they are, and in their folders, as long as a key can hold them. */
export function targetKey(folder: string, place: Place): string {
  const key = inFolder(folder, fullPath(place))
  if (Buffer.byteLength(key) <= longestKey) return key
  // Told apart by a digest of the whole; the end of the name is kept, since it says what kind of file it is.
  const digest = hash('sha256', fullPath(place), 'hex').slice(0, 16)
  const tail = Buffer.from(place.name)
    .subarray(-64)
    .toString()
    .replace(/^\uFFFD+/, '')
  return inFolder(cutTo(folder, 900), `long names/${digest}-${tail}`)
}

/** The beginning of a text, no longer than so many bytes, without half a character at its end. */
function cutTo(text: string, bytes: number): string {
  let length = 0
  let cut = ''
  for (const character of text) {
    length += Buffer.byteLength(character)
    if (length > bytes) return cut
    cut += character
  }
  return cut
}
