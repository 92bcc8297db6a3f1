import { HostFault } from '#faults'
import type { Clock, Look } from '#ports'
import type { Dice } from './dice.ts'
import { joined, randomBytes } from './bytes.ts'

/** A file of the sender, which may change at any moment. */
export interface SimSource {
  readonly n: number
  readonly name: string
  readonly path: string
  readonly kind: 'file' | 'directory'
  /** Everything it ever was; the last one is what it is. Empty once it is deleted. */
  readonly versions: Uint8Array[]
  gone: boolean
  /** Of a file that is still written. Behind its first `stable` bytes anything may stand. */
  growth?: { stable: number; over: boolean }
}

export function bytesOf(source: SimSource): Uint8Array {
  const bytes = source.versions.at(-1)
  if (source.gone || bytes === undefined) throw new HostFault('source_gone', `'${source.name}' is gone.`)
  return bytes
}

export function lookAt(source: SimSource): Look {
  const bytes = bytesOf(source)
  return {
    size: source.kind === 'file' ? bytes.length : 0,
    lastModified: '2026-01-02T03:04:05.000Z',
    identity: source.growth === undefined ? `${source.n}/${source.versions.length}` : `${source.n}`,
  }
}

/** A stretch as it is at this moment; a file that ended before is not what it was. */
export function readAt(source: SimSource, start: number, end: number): Uint8Array {
  const bytes = bytesOf(source)
  if (bytes.length < end) throw new HostFault('source_changed', `'${source.name}' became shorter.`)
  return bytes.slice(start, end)
}

/** Something happens to a file while it may be being read. */
export function disturb(source: SimSource, dice: Dice): void {
  const bytes = bytesOf(source)
  const kind = dice.oneOf(['rewrite', 'rewrite', 'grow', 'truncate', 'delete'])
  if (kind === 'delete') source.gone = true
  if (kind === 'rewrite') source.versions.push(randomBytes(dice, bytes.length))
  if (kind === 'grow') source.versions.push(joined([bytes, randomBytes(dice, 1 + dice.below(100))]))
  if (kind === 'truncate') source.versions.push(bytes.slice(0, dice.below(bytes.length + 1)))
}

/** Somebody writes a file, piece by piece, and its beginning once more at the end. */
export function writeSlowly(source: SimSource, clock: Clock, dice: Dice, steps: number): void {
  const growth = { stable: 0, over: false }
  source.growth = growth
  let written: Uint8Array = new Uint8Array()
  const write = (left: number) => {
    written = joined([written, randomBytes(dice, dice.below(200))])
    if (left === 0) written.set(randomBytes(dice, Math.min(8, written.length)))
    source.versions.push(left === 0 ? written : joined([written, randomBytes(dice, dice.below(50))]))
    Object.assign(growth, { stable: written.length, over: left === 0 })
    if (left > 0) clock.after(10 ** dice.between(0, 4), () => write(left - 1))
  }
  write(steps)
}

/** The hidden file of a download. */
interface SimPart {
  written: Uint8Array
  /** What a crash of the machine leaves of it. */
  synced: Uint8Array
}

/** The disk of the recipient. */
export interface SimFolder {
  readonly parts: Map<number, SimPart>
  readonly finished: Map<number, Uint8Array>
  full: boolean
}

export const createFolder = (): SimFolder => ({ parts: new Map(), finished: new Map(), full: false })

export function writeAt(folder: SimFolder, n: number, at: number, bytes: Uint8Array): void {
  const part = folder.parts.get(n)
  if (part === undefined) throw new Error('Something was written to a part file that is not there.')
  if (folder.full) throw new HostFault('disk_full', 'The disk is full.')
  if (part.written.length < at + bytes.length) {
    const longer = new Uint8Array(at + bytes.length)
    longer.set(part.written)
    part.written = longer
  }
  part.written.set(bytes, at)
}

export function foundIn({ parts, finished }: SimFolder, n: number) {
  if (finished.has(n)) return 'finished'
  return parts.has(n) ? 'part' : 'nothing'
}

/** The machine loses its power: what was not synced is lost. Answers how many bytes that may cost. */
export function loseUnsynced(folder: SimFolder): number {
  let bytes = 0
  for (const part of folder.parts.values()) {
    bytes += part.written.length
    part.written = part.synced.slice()
  }
  return bytes
}

/** Somebody tidies up and throws the hidden files away. Answers how many bytes that cost. */
export function sweep(folder: SimFolder): number {
  const bytes = [...folder.parts.values()].reduce((sum, { written }) => sum + written.length, 0)
  folder.parts.clear()
  return bytes
}
