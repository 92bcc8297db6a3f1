import type { Checksums } from '#ports'
import type { Dice } from './dice.ts'

export function randomBytes(dice: Dice, size: number): Uint8Array {
  return Uint8Array.from({ length: size }, () => dice.below(256))
}

export const same = (a: Uint8Array, b: Uint8Array) =>
  a.length === b.length && a.every((byte, index) => byte === b[index])

export function joined(pieces: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(pieces.reduce((sum, piece) => sum + piece.length, 0))
  let at = 0
  for (const piece of pieces) {
    whole.set(piece, at)
    at += piece.length
  }
  return whole
}

/** A hash that is good enough to tell contents of a simulation apart (FNV-1a). */
export function digestOf(bytes: Uint8Array): string {
  let hash = 0x811c9dc5
  for (const byte of bytes) hash = Math.imul(hash ^ byte, 0x01000193) >>> 0
  return `${bytes.length.toString(16)}-${hash.toString(16).padStart(8, '0')}`
}

export const checksumsOf = (bytes: Uint8Array): Checksums => ({ sha256: digestOf(bytes), crc32: digestOf(bytes) })
