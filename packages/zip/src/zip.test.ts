import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { test } from 'node:test'
import { crc32 } from 'node:zlib'
import fc from 'fast-check'
import type { Entry, Platform } from '#entry'
import { layOut } from '#layout'
import { type Archive, piecesOf } from '#range'

interface Filed extends Entry {
  readonly bytes: Buffer
}

const filed = (name: string, bytes = Buffer.alloc(0), modified = new Date('2026-01-02T03:04:05.000Z')): Filed => ({
  name,
  bytes,
  size: bytes.length,
  crc32: crc32(bytes),
  modified,
})

function archiveOf<E extends Entry>(entries: readonly E[], platform: Platform, blockLength = 3): Archive<E> {
  const blocks = Array.from({ length: Math.ceil(entries.length / blockLength) }, (_, number) =>
    entries.slice(number * blockLength, (number + 1) * blockLength),
  )
  const layout = layOut()
  for (const block of blocks) layout.add(block)
  return { layout: layout.finish(), platform, block: async (number) => blocks[number] ?? [] }
}

async function bytesOf(archive: Archive<Filed>, start = 0, end = archive.layout.size): Promise<Buffer> {
  const pieces: Uint8Array[] = []
  for await (const piece of piecesOf(archive, start, end)) {
    if ('bytes' in piece) pieces.push(piece.bytes)
    else pieces.push(piece.content.entry.bytes.subarray(piece.content.start, piece.content.end))
  }
  return Buffer.concat(pieces)
}

/** Reads an archive as a reader does: end, directory, entries. `from` is where the given bytes lie in the archive. */
function readDirectory(bytes: Buffer, from = 0) {
  const end = bytes.length - 22
  assert.equal(bytes.readUInt32LE(end), 0x06054b50)
  let count = bytes.readUInt16LE(end + 10)
  let length = bytes.readUInt32LE(end + 12)
  let at = bytes.readUInt32LE(end + 16)
  if (count === 0xffff || length === 0xffffffff || at === 0xffffffff) {
    assert.equal(bytes.readUInt32LE(end - 20), 0x07064b50)
    const end64 = Number(bytes.readBigUInt64LE(end - 12)) - from
    assert.equal(bytes.readUInt32LE(end64), 0x06064b50)
    count = Number(bytes.readBigUInt64LE(end64 + 32))
    length = Number(bytes.readBigUInt64LE(end64 + 40))
    at = Number(bytes.readBigUInt64LE(end64 + 48))
  }
  const records: ReturnType<typeof readRecord>[] = []
  const centralStart = at
  for (let index = 0; index < count; index++) {
    const record = readRecord(bytes, at - from)
    records.push(record)
    at += record.length
  }
  assert.equal(at, centralStart + length)
  return records
}

function readRecord(bytes: Buffer, at: number) {
  assert.equal(bytes.readUInt32LE(at), 0x02014b50)
  const nameLength = bytes.readUInt16LE(at + 28)
  const extraLength = bytes.readUInt16LE(at + 30)
  const extra = readExtra(bytes.subarray(at + 46 + nameLength, at + 46 + nameLength + extraLength))
  const zip64 = extra.get(0x0001)
  let used = 0
  const wide = (value: number) => {
    if (value !== 0xffffffff || zip64 === undefined) return value
    used += 8
    return Number(zip64.readBigUInt64LE(used - 8))
  }
  return {
    madeOn: bytes.readUInt8(at + 5),
    flags: bytes.readUInt16LE(at + 8),
    dosTime: [bytes.readUInt16LE(at + 12), bytes.readUInt16LE(at + 14)],
    crc32: bytes.readUInt32LE(at + 16),
    size: wide(bytes.readUInt32LE(at + 24)) && wide(bytes.readUInt32LE(at + 20)),
    attributes: bytes.readUInt32LE(at + 38),
    offset: wide(bytes.readUInt32LE(at + 42)),
    name: bytes.subarray(at + 46, at + 46 + nameLength).toString(),
    seconds: extra.get(0x5455)?.readInt32LE(1),
    length: 46 + nameLength + extraLength,
  }
}

function readExtra(bytes: Buffer): Map<number, Buffer> {
  const fields = new Map<number, Buffer>()
  for (let at = 0; at < bytes.length; at += 4 + bytes.readUInt16LE(at + 2)) {
    fields.set(bytes.readUInt16LE(at), bytes.subarray(at + 4, at + 4 + bytes.readUInt16LE(at + 2)))
  }
  return fields
}

function contentAt(bytes: Buffer, offset: number, size: number): Buffer {
  assert.equal(bytes.readUInt32LE(offset), 0x04034b50)
  const start = offset + 30 + bytes.readUInt16LE(offset + 26) + bytes.readUInt16LE(offset + 28)
  return bytes.subarray(start, start + size)
}

const anyEntry = fc.record({
  name: fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 }),
  bytes: fc.uint8Array(),
})
const anyArchive = fc
  .tuple(
    fc.array(anyEntry, { maxLength: 12 }),
    fc.constantFrom<Platform>('windows', 'mac'),
    fc.integer({ min: 1, max: 5 }),
  )
  .map(([entries, platform, blockLength]) => ({
    entries: entries.map(({ name, bytes }) => filed(name, Buffer.from(bytes))),
    platform,
    blockLength,
  }))

test('a reader finds every entry, with its bytes, where the directory says', () =>
  fc.assert(
    fc.asyncProperty(anyArchive, async ({ entries, platform, blockLength }) => {
      const archive = archiveOf(entries, platform, blockLength)
      const whole = await bytesOf(archive)
      assert.equal(whole.length, archive.layout.size)
      const records = readDirectory(whole)
      assert.deepEqual(
        records.map(({ name, size, crc32, flags }) => ({ name, size, crc32, flags })),
        entries.map(({ name, size, crc32 }) => ({ name: name.toWellFormed(), size, crc32, flags: 0x0800 })),
      )
      for (const [index, { offset, size }] of records.entries()) {
        assert.ok(contentAt(whole, offset, size).equals(entries[index]?.bytes ?? Buffer.alloc(0)))
      }
    }),
  ))

test('any range is the slice of the whole', () =>
  fc.assert(
    fc.asyncProperty(anyArchive, fc.nat(), fc.nat(), async ({ entries, platform, blockLength }, one, other) => {
      const archive = archiveOf(entries, platform, blockLength)
      const whole = await bytesOf(archive)
      const [start, end] = [one % (whole.length + 1), other % (whole.length + 1)].toSorted((a, b) => a - b) as [
        number,
        number,
      ]
      assert.ok((await bytesOf(archive, start, end)).equals(whole.subarray(start, end)))
    }),
  ))

test('an archive of nothing is a reader’s empty archive', async () => {
  const whole = await bytesOf(archiveOf([], 'mac'))
  assert.equal(whole.length, 22)
  assert.deepEqual(readDirectory(whole), [])
})

test('the same entries give the same bytes, in whatever blocks they are read', async () => {
  const entries = ['a/', 'a/one', 'ä', '漢字.txt'].map((name, index) => filed(name, Buffer.from(`${index}`)))
  assert.ok((await bytesOf(archiveOf(entries, 'windows', 1))).equals(await bytesOf(archiveOf(entries, 'windows', 4))))
})

test('a server in another time zone writes the same bytes', () => {
  const script = `
    import { localHeader } from ${JSON.stringify(import.meta.resolve('#write'))}
    const entry = { name: 'a', size: 0, crc32: 0, modified: new Date(1767323045000) }
    process.stdout.write(Buffer.from(localHeader(entry)).toString('hex'))`
  const [there, here] = ['Asia/Tokyo', 'America/New_York'].map(
    (TZ) =>
      spawnSync(process.execPath, ['--input-type=module', '-e', script], { env: { TZ }, encoding: 'utf8' }).stdout,
  )
  assert.match(there ?? '', /^504b0304/)
  assert.equal(there, here)
})

test('times are UTC, and those that a field cannot say are left out or moved to its edge', async () => {
  const at = async (time: string) => {
    const [record] = readDirectory(await bytesOf(archiveOf([filed('a', Buffer.alloc(0), new Date(time))], 'mac')))
    return { dosTime: record?.dosTime, seconds: record?.seconds }
  }
  assert.deepEqual(await at('2026-11-15T23:59:58.000Z'), {
    dosTime: [(23 << 11) | (59 << 5) | 29, (46 << 9) | (11 << 5) | 15],
    seconds: Date.parse('2026-11-15T23:59:58.000Z') / 1000,
  })
  assert.deepEqual(await at('0001-01-01T00:00:00.000Z'), { dosTime: [0, 33], seconds: undefined })
  assert.deepEqual(await at('1970-01-01T00:00:01.000Z'), { dosTime: [0, 33], seconds: 1 })
  assert.equal((await at('2200-01-01T00:00:00.000Z')).seconds, undefined)
})

test('attributes are of MS-DOS for Windows, and modes of Unix for the Mac', async () => {
  const entries = [filed('folder/'), filed('file')]
  const shown = async (platform: Platform) =>
    readDirectory(await bytesOf(archiveOf(entries, platform))).map(({ madeOn, attributes }) => [madeOn, attributes])
  assert.deepEqual(await shown('windows'), [
    [0, 0x10],
    [0, 0x20],
  ])
  assert.deepEqual(await shown('mac'), [
    [3, 0o040755 * 65536 + 0x10],
    [3, 0o100644 * 65536],
  ])
})

const GiB = 2 ** 30
const large = (name: string, size: number): Entry => ({ name, size, crc32: 1, modified: new Date(0) })

/** The directory of an archive whose contents nobody has. */
async function directoryOf(archive: Archive<Entry>) {
  const { centralStart, size } = archive.layout
  const pieces: Uint8Array[] = []
  for await (const piece of piecesOf(archive, centralStart, size)) if ('bytes' in piece) pieces.push(piece.bytes)
  return readDirectory(Buffer.concat(pieces), centralStart)
}

test('sizes and places beyond 4 GiB are told in ZIP64, those below in the plain fields', async () => {
  const entries = [large('a', GiB), large('b', 5 * GiB), large('c', 0xffffffff), large('d', 1), large('e', 8000 * GiB)]
  const archive = archiveOf(entries, 'mac', 2)
  const records = await directoryOf(archive)
  assert.deepEqual(
    records.map(({ name, size }) => ({ name, size })),
    entries.map(({ name, size }) => ({ name, size })),
  )
  for (const [index, { offset }] of records.entries()) {
    const [first] = await Array.fromAsync(piecesOf(archive, offset, offset + 30))
    assert.ok(first !== undefined && 'bytes' in first, `entry ${index} begins where its record says`)
    assert.equal(Buffer.from(first.bytes).readUInt32LE(0), 0x04034b50)
  }
})

test('a range in the middle of a large content names just these bytes of it', async () => {
  const archive = archiveOf([large('a', 3 * GiB), large('b', 6 * GiB)], 'windows', 1)
  const pieces = await Array.fromAsync(piecesOf(archive, 4 * GiB, 4 * GiB + 10))
  assert.equal(pieces.length, 1)
  const [only] = pieces
  assert.ok(only !== undefined && 'content' in only)
  assert.equal(only.content.entry.name, 'b')
  assert.equal(only.content.end - only.content.start, 10)
  const first = await Array.fromAsync(piecesOf(archive, 0, 3 * GiB + 200))
  const before = first.reduce(
    (sum, piece) => sum + ('bytes' in piece ? piece.bytes.length : piece.content.entry.name === 'a' ? 3 * GiB : 0),
    0,
  )
  assert.equal(only.content.start, 4 * GiB - before)
})

for (const count of [65_534, 65_535, 70_000]) {
  test(`${count} entries are all counted`, async () => {
    const archive = archiveOf(
      Array.from({ length: count }, (_, index) => filed(`n${index}`)),
      'windows',
      1000,
    )
    const records = readDirectory(await bytesOf(archive))
    assert.equal(records.length, count)
    assert.equal(records.at(-1)?.name, `n${count - 1}`)
  })
}

test('a range asks for the blocks that it touches and for no others', async () => {
  const entries = Array.from({ length: 100_000 }, (_, index) => filed(`n${index}`, Buffer.from('x')))
  const { layout, platform, block } = archiveOf(entries, 'mac', 1000)
  const asked: number[] = []
  const archive: Archive<Filed> = {
    layout,
    platform,
    block(number) {
      asked.push(number)
      return block(number)
    },
  }
  await bytesOf(archive, layout.centralStart / 2, layout.centralStart / 2 + 1000)
  assert.equal(asked.length, 1)
  asked.length = 0
  await bytesOf(archive, layout.size - 1000, layout.size)
  assert.deepEqual(asked, [99])
})
