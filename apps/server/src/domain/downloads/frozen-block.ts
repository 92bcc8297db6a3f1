import { deflateRawSync, inflateRawSync } from 'node:zlib'
import type { PackageFile } from '#store/files'
import { presentListedFile } from './present.ts'

/**
 * A block of a file list at rest. Two compressed pieces: the entries as the list shows them, ready to be sent; and what
 * the list does not show. Whoever lists a million files only unpacks the first, and parses nothing.
 */
type Hidden = readonly [key: string | null, sha256: string | null, crc32: string | null, inspectedAt: number | null]

type Shown = ReturnType<typeof presentListedFile>

// Told apart from a later form, should the list ever show more.
const form = 1
const headLength = 5

export function freezeBlock(files: readonly PackageFile[]): Buffer {
  const shown = deflateRawSync(files.map((file) => JSON.stringify(presentListedFile(file))).join(','))
  const hidden = files.map(
    (file): Hidden => [file.object_key, file.sha256, file.crc32, file.inspected_at?.getTime() ?? null],
  )
  const head = Buffer.alloc(headLength)
  head.writeUInt8(form)
  head.writeUInt32BE(shown.length, 1)
  return Buffer.concat([head, shown, deflateRawSync(JSON.stringify(hidden))])
}

function piecesOf(block: Buffer) {
  if (block.readUInt8() !== form) throw new Error(`A frozen file list has the form ${block.readUInt8()}.`)
  const end = headLength + block.readUInt32BE(1)
  return { shown: block.subarray(headLength, end), hidden: block.subarray(end) }
}

// More than a block of ordinary names takes, so that it is unpacked in one go and not copied together.
const chunkSize = 384 * 1024

/** The entries of a block as the list shows them: JSON text in UTF-8, with commas between. Has its memory to itself. */
export const shownText = (block: Buffer) => inflateRawSync(piecesOf(block).shown, { chunkSize })

export function thawBlock(block: Buffer): readonly PackageFile[] {
  const hidden = JSON.parse(inflateRawSync(piecesOf(block).hidden).toString()) as Hidden[]
  const shown = JSON.parse(`[${shownText(block).toString()}]`) as Shown[]
  return shown.map((entry, index): PackageFile => {
    const [key = null, sha256 = null, crc32 = null, inspectedAt = null] = hidden[index] ?? []
    return {
      id: entry.id,
      kind: entry.kind,
      path: entry.path,
      name: entry.name,
      size: entry.size ?? null,
      last_modified: new Date(entry.last_modified),
      state: 'finalized',
      object_key: key,
      sha256,
      crc32,
      virus_detected: entry.virus_detected,
      scan: entry.scan,
      damaged: entry.integrity === 'damaged',
      inspected_at: inspectedAt === null ? null : new Date(inspectedAt),
    }
  })
}
