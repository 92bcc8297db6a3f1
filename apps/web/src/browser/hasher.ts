import { HostFault } from '@longshore/transfer/faults'
import type { Hasher } from '@longshore/transfer/ports'
import { crc32 } from './crc32.ts'
import { createSha256 } from './sha256.ts'
import type { OpenedFile } from './sources.ts'

const pieceBytes = 1024 * 1024

/** Reads a chosen file a second time, behind those who send it, while the disk still has it in memory. */
export const hasher: Hasher = {
  begin: (of) => {
    const { file } = of as unknown as OpenedFile
    const sha256 = createSha256()
    let crc = 0
    let read = 0
    let allowed = 0
    let dropped = false
    let reading: Promise<void> | undefined

    const readOn = async () => {
      while (read < allowed && !dropped) {
        const piece = new Uint8Array(await file.slice(read, Math.min(allowed, read + pieceBytes)).arrayBuffer())
        if (piece.length === 0) throw new HostFault('source_changed', 'The file ended before its end.')
        sha256.update(piece)
        crc = crc32(piece, crc)
        read += piece.length
      }
      reading = undefined
    }

    return {
      advance: (end) => {
        allowed = Math.max(allowed, end)
        reading ??= readOn()
        // Heard of by `finish`.
        reading.catch(() => undefined)
      },
      finish: async () => {
        await reading
        return { sha256: sha256.finish(), crc32: crc.toString(16).padStart(8, '0') }
      },
      drop: () => {
        dropped = true
      },
    }
  },
}
