// So far may files be ahead of the slowest one: what is known of them has to be remembered one by one.
const window = 1_000

/** Files in the order of the list, of which some arrive before others. */
export class Arrivals {
  readonly #order: string[] = []
  readonly #arrived = new Set<string>()
  readonly #noted = new Set<string>()
  #through: string | undefined
  #room = Promise.withResolvers<void>()

  /** Waits until there is room for one more. */
  async begin(id: string): Promise<void> {
    while (this.#order.length >= window) await this.#room.promise
    this.#order.push(id)
  }

  end(id: string): void {
    this.#arrived.add(id)
    while (this.#order[0] !== undefined && this.#arrived.has(this.#order[0])) {
      const first = this.#order.shift()
      if (first === undefined) break
      this.#arrived.delete(first)
      this.#noted.delete(first)
      this.#through = first
    }
    this.#room.resolve()
    this.#room = Promise.withResolvers<void>()
  }

  /** Every file up to this one has arrived. */
  get through(): string | undefined {
    return this.#through
  }

  /** Those that have arrived before another that has not, and that nobody has noted yet. */
  ahead(): string[] {
    return [...this.#arrived].filter((id) => !this.#noted.has(id))
  }

  noted(ids: readonly string[]): void {
    for (const id of ids) if (this.#arrived.has(id)) this.#noted.add(id)
  }
}
