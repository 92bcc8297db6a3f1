import type { Home } from '#home'

/** One process of the stack, seen from outside. */
export type Engine = {
  readonly name: string
  /** The file name of the program its child processes run, for an engine that has some. */
  readonly children?: string
  /** The loopback ports that must be free before it starts. */
  readonly ports: (home: Home) => readonly number[]
  /** What asks it to end at once but in good order. */
  readonly stopSignal: NodeJS.Signals
  /** Makes its data on the first call and starts it. Answers before it serves. */
  readonly start: (home: Home) => Promise<void>
  /** Whether it answers in its own protocol; an open port is no proof. */
  readonly serves: (home: Home) => Promise<boolean>
}
