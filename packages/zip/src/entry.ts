/** One file or folder of an archive. Everything is known before the first byte is written, so nothing comes after it. */
export interface Entry {
  /** Path inside the archive; a folder ends with a slash. */
  readonly name: string
  readonly size: number
  readonly crc32: number
  readonly modified: Date
}

/** Whose unpacker the archive is made for. */
export type Platform = 'windows' | 'mac'

export const isFolder = (entry: Entry): boolean => entry.name.endsWith('/')

// A field of all ones says "look in the ZIP64 field".
export const max16 = 0xffff
export const max32 = 0xffffffff

const longestName = 0xffff
const utf8 = new TextEncoder()
const scratch = new Uint8Array(longestName)

/** Bytes that a name takes. Measured without making them: a layout measures every name and writes few. */
export function nameLength(name: string): number {
  const { read, written } = utf8.encodeInto(name, scratch)
  if (read < name.length) throw new RangeError(`A name in an archive has at most ${longestName} bytes`)
  return written
}

/** Seconds for the extended timestamp, which has 32 bits with a sign; undefined for times that it cannot say. */
export function unixSeconds(modified: Date): number | undefined {
  const seconds = Math.floor(modified.getTime() / 1000)
  return seconds === (seconds | 0) ? seconds : undefined
}
