import { Misuse } from '#cli/misuse'
import { showBytes } from '#cli/human/bytes'

const bitsIn: Readonly<Record<string, number>> = {
  'bit/s': 1,
  'kbit/s': 1e3,
  'Mbit/s': 1e6,
  'Gbit/s': 1e9,
  'B/s': 8,
  'kB/s': 8e3,
  'KB/s': 8e3,
  'MB/s': 8e6,
  'GB/s': 8e9,
  'KiB/s': 8 * 2 ** 10,
  'MiB/s': 8 * 2 ** 20,
  'GiB/s': 8 * 2 ** 30,
}

/**
 * Reads `20MB/s`, `100Mbit/s` or `100Mbps` as bits per second.
 *
 * A unit with a lone small `b` is refused: half of those who write `20mb/s` mean eight times as much as the other half.
 */
export function parseRate(text: string): number {
  const [, amount = '', unit = ''] = /^(\d+(?:\.\d+)?) ?([A-Za-z/]+)$/.exec(text.trim()) ?? []
  const factor = bitsIn[unit.replace(/bps$/, 'bit/s').replace(/(?<!\/s)$/, '/s')]
  const bits = Math.round(Number(amount) * (factor ?? 0))
  if (bits > 0) return bits
  const prefix = /^[kmg]/i.exec(unit)?.[0].toUpperCase()
  const hint =
    prefix === undefined || amount === ''
      ? '20MB/s or 160Mbit/s'
      : `${amount}${prefix}B/s (bytes) or ${amount}${prefix}bit/s (bits)`
  throw new Misuse(`'${text}' is no rate. Write it like ${hint}.`)
}

/** Bits per second as people compare them with the size of files: in bytes. */
export const showRate = (bitsPerSecond: number): string => `${showBytes(bitsPerSecond / 8)}/s`
