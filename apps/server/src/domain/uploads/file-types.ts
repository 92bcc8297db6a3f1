/** An extension as somebody writes it into a list: with or without dot, in any case. */
export const plainType = (written: string): string =>
  written
    .trim()
    .toLowerCase()
    .replace(/^\*?\.+/, '')

/**
 * Whether a name ends in one of the listed extensions, as a file system would read it: Windows drops dots and blanks at
 * the end, and takes what follows a colon for a stream of the file before it. A name without extension is none of them.
 */
export function isTypeAllowed(name: string, types: readonly string[]): boolean {
  const read = realName(name.toLowerCase())
  return types.map(plainType).some((type) => type !== '' && read.endsWith(`.${type}`) && read.length > type.length + 1)
}

function realName(name: string): string {
  const beforeColon = trimmed(name.split(':', 1)[0] ?? '')
  return hasExtension(beforeColon) ? beforeColon : trimmed(name)
}

const trimmed = (name: string): string => name.replace(/[. ]+$/, '')

const hasExtension = (name: string): boolean => name.lastIndexOf('.') > 0
