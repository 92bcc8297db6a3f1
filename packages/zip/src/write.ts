import { type Entry, isFolder, max16, max32, type Platform, unixSeconds } from '#entry'
import { centralRecordLength, type Layout, localHeaderLength, needsZip64End, needsZip64Sizes } from '#layout'

// APPNOTE 4.4.3: 2.0 knows folders, 4.5 knows ZIP64.
const version20 = 20
const version45 = 45
// Bit 11: the name is UTF-8.
const utf8Flag = 0x0800
const stored = 0
const utf8 = new TextEncoder()

/** Writes numbers one behind the other, little end first, as the whole format has them. */
class Pen {
  readonly bytes: Uint8Array
  readonly #view: DataView
  #at = 0

  constructor(length: number) {
    this.bytes = new Uint8Array(length)
    this.#view = new DataView(this.bytes.buffer)
  }

  u8(value: number): this {
    this.#view.setUint8(this.#at++, value)
    return this
  }

  u16(...values: readonly number[]): this {
    for (const value of values) {
      this.#view.setUint16(this.#at, value, true)
      this.#at += 2
    }
    return this
  }

  u32(...values: readonly number[]): this {
    for (const value of values) {
      this.#view.setUint32(this.#at, value, true)
      this.#at += 4
    }
    return this
  }

  u64(...values: readonly number[]): this {
    for (const value of values) this.u32(value % 2 ** 32, Math.floor(value / 2 ** 32))
    return this
  }

  text(text: string): this {
    this.#at += utf8.encodeInto(text, this.bytes.subarray(this.#at)).written
    return this
  }
}

/** What stands before the bytes of an entry. */
export function localHeader(entry: Entry): Uint8Array {
  const length = localHeaderLength(entry)
  const zip64 = needsZip64Sizes(entry)
  const seconds = unixSeconds(entry.modified)
  const extra = (seconds === undefined ? 0 : 9) + (zip64 ? 20 : 0)
  const pen = new Pen(length)
    .u32(0x04034b50)
    .u16(zip64 ? version45 : version20, utf8Flag, stored, ...dosTime(entry.modified))
    .u32(entry.crc32, ...(zip64 ? [max32, max32] : [entry.size, entry.size]))
    .u16(length - 30 - extra, extra)
    .text(entry.name)
  writeTimestamp(pen, seconds)
  if (zip64) pen.u16(0x0001, 16).u64(entry.size, entry.size)
  return pen.bytes
}

/** The record of an entry in the central directory; `offset` is where its local header stands. */
export function centralRecord(entry: Entry, offset: number, platform: Platform): Uint8Array {
  const length = centralRecordLength(entry, offset)
  const largeSizes = needsZip64Sizes(entry)
  const farAway = offset >= max32
  const zip64 = [...(largeSizes ? [entry.size, entry.size] : []), ...(farAway ? [offset] : [])]
  const seconds = unixSeconds(entry.modified)
  const extra = (seconds === undefined ? 0 : 9) + (zip64.length === 0 ? 0 : 4 + zip64.length * 8)
  const version = zip64.length === 0 ? version20 : version45
  const pen = new Pen(length)
    .u32(0x02014b50)
    .u16((madeOn[platform] << 8) | version45, version, utf8Flag, stored, ...dosTime(entry.modified))
    .u32(entry.crc32, ...(largeSizes ? [max32, max32] : [entry.size, entry.size]))
    .u16(length - 46 - extra, extra, 0, 0, 0)
    .u32(attributes(entry, platform), farAway ? max32 : offset)
    .text(entry.name)
  writeTimestamp(pen, seconds)
  if (zip64.length > 0) pen.u16(0x0001, zip64.length * 8).u64(...zip64)
  return pen.bytes
}

/** What ends an archive. */
export function endRecords(layout: Layout): Uint8Array {
  const { entries, centralStart, centralLength, size } = layout
  const zip64 = needsZip64End(layout)
  const pen = new Pen(size - centralStart - centralLength)
  if (zip64) {
    pen
      .u32(0x06064b50)
      .u64(44)
      .u16((madeOn.mac << 8) | version45, version45)
      .u32(0, 0)
      .u64(entries, entries, centralLength, centralStart)
      .u32(0x07064b50, 0)
      .u64(centralStart + centralLength)
      .u32(1)
  }
  const count = Math.min(entries, max16)
  pen.u32(0x06054b50).u16(0, 0, count, count).u32(Math.min(centralLength, max32), Math.min(centralStart, max32)).u16(0)
  return pen.bytes
}

// 0 is MS-DOS, 3 is Unix: tells the reader how to understand the attributes.
const madeOn: Readonly<Record<Platform, number>> = { windows: 0, mac: 3 }

function attributes(entry: Entry, platform: Platform): number {
  const dos = isFolder(entry) ? 0x10 : 0x20
  if (platform === 'windows') return dos
  const mode = isFolder(entry) ? 0o040755 : 0o100644
  return (mode * 2 ** 16 + (isFolder(entry) ? 0x10 : 0)) >>> 0
}

function writeTimestamp(pen: Pen, seconds: number | undefined): void {
  // 'UT', 5 bytes: a flag that the time of the last change follows, and it.
  if (seconds !== undefined) pen.u16(0x5455, 5).u8(1).u32(seconds)
}

/** Time and date as MS-DOS has them, by UTC: the same archive must not depend on where the server stands. */
function dosTime(modified: Date): [time: number, date: number] {
  const year = modified.getUTCFullYear()
  if (year < 1980) return [0, (1 << 5) | 1]
  if (year > 2107) return [(23 << 11) | (59 << 5) | 29, (127 << 9) | (12 << 5) | 31]
  return [
    (modified.getUTCHours() << 11) | (modified.getUTCMinutes() << 5) | (modified.getUTCSeconds() >> 1),
    ((year - 1980) << 9) | ((modified.getUTCMonth() + 1) << 5) | modified.getUTCDate(),
  ]
}
