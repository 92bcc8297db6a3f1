/** How an attempt ended, as far as it matters for the next ones to the same webhook. */
export type Ending = 'answered' | 'failed' | 'hung'

export interface LaneLimits {
  /** Attempts at once in this process. They mostly wait for others, so this costs memory and little else. */
  readonly slots: number
  /** Of one webhook we know nothing of, */
  readonly each: number
  /** of one that answered last time, */
  readonly answering: number
  /** of one that hung last time. */
  readonly hung: number
}

const laneLimits: LaneLimits = { slots: 512, each: 4, answering: 16, hung: 1 }

interface Lane {
  running: number
  share: number
  endedAt: number
}

// After so long a webhook that hung is a webhook we know nothing of.
const memoryMs = 15 * 60_000

/**
 * Who may run how many attempts at once. An endpoint that hangs holds each attempt for its full 15 seconds; its share
 * keeps it from holding all of them, and shrinks to one after the first time.
 */
export class Lanes {
  readonly limits: LaneLimits
  readonly #lanes = new Map<string, Lane>()
  #running = 0

  constructor(limits: LaneLimits = laneLimits) {
    this.limits = limits
  }

  get free(): number {
    return this.limits.slots - this.#running
  }

  /** How many more each webhook may have whose number is not the usual one. */
  shares(): Map<string, number> {
    return new Map([...this.#lanes].map(([id, lane]) => [id, lane.share - lane.running]))
  }

  begin(webhookId: string): void {
    const lane = this.#lanes.get(webhookId) ?? { running: 0, share: this.limits.each, endedAt: 0 }
    lane.running++
    this.#running++
    this.#lanes.set(webhookId, lane)
  }

  /** Answers whether this made room that was wanting: something may have been left behind for it. */
  end(webhookId: string, ending: Ending, now: number): boolean {
    const lane = this.#lanes.get(webhookId)
    if (lane === undefined) throw new Error('An attempt ended that never began.')
    const wanting = this.free <= 0 || lane.running >= lane.share
    lane.running--
    this.#running--
    lane.endedAt = now
    lane.share = ending === 'hung' ? this.limits.hung : ending === 'answered' ? this.limits.answering : this.limits.each
    if (lane.running === 0 && ending !== 'hung') this.#lanes.delete(webhookId)
    return wanting
  }

  forget(now: number): void {
    for (const [id, lane] of this.#lanes) {
      if (lane.running === 0 && now - lane.endedAt > memoryMs) this.#lanes.delete(id)
    }
  }
}
