import { Misuse } from '#cli/misuse'

const units = ['B', 'kB', 'MB', 'GB', 'TB', 'PB'] as const

/** A number of bytes in at most three figures: `1.4 GB`. Units are powers of ten, as disks and networks are sold. */
export function showBytes(bytes: number): string {
  let value = Math.max(0, bytes)
  let unit = 0
  // What would be rounded up to 1000 is said in the next unit.
  while (value >= 999.5 && unit < units.length - 1) {
    value /= 1_000
    unit += 1
  }
  const figures = unit === 0 || value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2
  return `${value.toFixed(figures)} ${units[unit]}`
}

const factors: Readonly<Record<string, number>> = {
  '': 1,
  B: 1,
  kB: 1e3,
  KB: 1e3,
  MB: 1e6,
  GB: 1e9,
  TB: 1e12,
  KiB: 2 ** 10,
  MiB: 2 ** 20,
  GiB: 2 ** 30,
  TiB: 2 ** 40,
}

/** Reads `64MiB`, `1.5 GB` or a plain number of bytes. */
export function parseBytes(text: string): number {
  const [, amount = '', unit = ''] = /^(\d+(?:\.\d+)?) ?([A-Za-z]*)$/.exec(text.trim()) ?? []
  const factor = factors[unit]
  if (amount === '' || factor === undefined) {
    throw new Misuse(`'${text}' is no size. Write it like 64MiB, 1.5GB or 104857600.`)
  }
  return Math.round(Number(amount) * factor)
}
