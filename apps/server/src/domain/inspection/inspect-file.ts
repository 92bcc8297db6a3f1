import { createHash } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { resumableRead } from '#blob/resumable-read'
import type { Cx } from '#domain/cx'
import { crcBytes } from '#domain/uploads/crc-bytes'
import type { Scan } from '#outbound/scanner'
import type { ScanState } from '#store/files'
import type { Inspected, UninspectedFile } from '#store/inspections'

/**
 * Reads a file once, from its first byte to its last, for everything that has to be known of it: its checksums, whether
 * they are those that the sender named, and what the scanner says.
 *
 * Throws when storage or scanner are in trouble: then nothing is known, and nothing may be called clean.
 */
export async function inspectFile(
  cx: Pick<Cx, 'blob' | 'scanner' | 'log'>,
  file: UninspectedFile,
  signal: AbortSignal,
): Promise<Inspected> {
  const scan = await openScan(cx, file)
  try {
    const sha256 = createHash('sha256')
    let [checksum, size] = [0, 0]
    // An hour into a long file the store may hang up: it goes on where it stopped, with the checksums so far.
    for await (const piece of resumableRead(cx.blob, file.object_key, { start: 0, end: file.size - 1 }, signal)) {
      sha256.update(piece)
      checksum = crc32(piece, checksum)
      size += piece.length
      await scan?.write(piece)
    }
    const found = { sha256: sha256.digest(), crc32: crcBytes(checksum) }
    return {
      id: file.id,
      ...found,
      scan: await stateOf(cx, file, scan),
      damaged: size !== file.size || differs(file.sha256, found.sha256) || differs(file.crc32, found.crc32),
    }
  } catch (error) {
    signal.throwIfAborted()
    if ((await sizeInStore(cx, file)) === file.size) throw error
    // Nobody changes or takes an object while its file is there: whatever did, the file is no longer what was sent.
    return { id: file.id, sha256: null, crc32: null, scan: 'not_scanned', damaged: true }
  } finally {
    scan?.abort()
  }
}

/** Undefined where there is no such object. */
const sizeInStore = async (cx: Pick<Cx, 'blob'>, file: UninspectedFile): Promise<number | undefined> =>
  (await cx.blob.head(file.object_key))?.size

/** Undefined where there is no scanner, or where it would pass the file without having looked at all of it. */
const openScan = async ({ scanner }: Pick<Cx, 'scanner'>, file: UninspectedFile): Promise<Scan | undefined> =>
  scanner === undefined || file.size > scanner.limit ? undefined : scanner.open()

async function stateOf(
  cx: Pick<Cx, 'log'>,
  { team_id, package_id, id: file_id }: UninspectedFile,
  scan: Scan | undefined,
): Promise<ScanState> {
  const verdict = await scan?.verdict()
  if (verdict?.kind === 'infected') {
    cx.log.warn({ team_id, package_id, file_id, virus: verdict.virus }, 'virus found')
  }
  return verdict?.kind ?? 'not_scanned'
}

const differs = (claimed: Buffer | null, found: Buffer): boolean => claimed !== null && !claimed.equals(found)
