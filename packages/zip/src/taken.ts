/** What stands at a place: a file, a folder that others imply, or a folder with an entry of its own. */
export type Occupant = 'file' | 'implied folder' | 'folder'

const occupants: readonly (Occupant | undefined)[] = [undefined, 'file', 'implied folder', 'folder']

/** A place by its hash: that of a file in a folder goes on from the folder's. */
export interface Spot {
  readonly high: number
  readonly low: number
}

export const rootSpot: Spot = { high: 0xdeadbeef, low: 0x41c6ce57 }

/** Multiplies and xors the UTF-16 units into both halves (cyrb53). */
export function spotWithin({ high, low }: Spot, text: string): Spot {
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index)
    high = Math.imul(high ^ unit, 2654435761)
    low = Math.imul(low ^ unit, 1597334677)
  }
  return { high, low }
}

/**
 * Which places of an archive are taken. Keeps 51 bits of a hash in place of each name, so that a million of them take
 * 16 MiB. Two names with the same hash are taken for one, and then a file gets a number that it did not need; that is
 * the worst of it.
 */
export class Taken {
  #slots = new Float64Array(1024)
  #count = 0

  at(spot: Spot): Occupant | undefined {
    return occupants[(this.#slots[this.#find(hash51(spot))] ?? 0) % 4]
  }

  set(spot: Spot, occupant: Occupant): void {
    const hash = hash51(spot)
    this.#write(this.#find(hash), hash, occupant)
  }

  /** Takes a place that nobody has. Returns false when somebody has it. */
  put(spot: Spot, occupant: Occupant): boolean {
    const hash = hash51(spot)
    const slot = this.#find(hash)
    if (this.#slots[slot] !== 0) return false
    this.#write(slot, hash, occupant)
    return true
  }

  #write(slot: number, hash: number, occupant: Occupant): void {
    if (this.#slots[slot] === 0) this.#count += 1
    this.#slots[slot] = hash * 4 + occupants.indexOf(occupant)
    if (this.#count * 2 > this.#slots.length) this.#grow()
  }

  /** The slot that has this hash, or the empty one where it belongs. */
  #find(hash: number): number {
    const last = this.#slots.length - 1
    let slot = hash & last
    for (let found = this.#slots[slot] ?? 0; found !== 0; found = this.#slots[slot] ?? 0) {
      if (Math.floor(found / 4) === hash) break
      slot = (slot + 1) & last
    }
    return slot
  }

  #grow(): void {
    const before = this.#slots
    this.#slots = new Float64Array(before.length * 2)
    for (const value of before) if (value !== 0) this.#slots[this.#find(Math.floor(value / 4))] = value
  }
}

/** Mixes the halves and cuts them to the 51 bits that leave room for an occupant. */
function hash51(spot: Spot): number {
  let { high, low } = spot
  high = Math.imul(high ^ (high >>> 16), 2246822507) ^ Math.imul(low ^ (low >>> 13), 3266489909)
  low = Math.imul(low ^ (low >>> 16), 2246822507) ^ Math.imul(high ^ (high >>> 13), 3266489909)
  return (high & 0x7ffff) * 2 ** 32 + (low >>> 0)
}
