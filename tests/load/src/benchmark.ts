import type { FirstTeam } from '@longshore/stack/longshore/first-team'
import type { Stack } from '@longshore/stack/stack'
import type { Watched } from './cpu-time.ts'

/** What a benchmark runs on: a server that nobody else uses. */
export interface Site {
  readonly stack: Stack
  readonly url: string
  /** The settings of its processes, and where they log. */
  readonly env: Readonly<Record<string, string>>
  readonly folder: string
  readonly team: FirstTeam
  /** Starts a second API process beside the first. It ends with the site. */
  startSecondApi(): Promise<{ readonly url: string; readonly pid: number }>
  /** Kills the worker on the spot and starts another. */
  restartWorker(): Promise<void>
  /** The processes whose CPU time is read. */
  readonly watched: Watched
  /** Small sizes: enough to see that everything runs, too little to judge by. */
  readonly quick: boolean
  /** How many packages the lists are of, if not as many as usual. */
  readonly packages: number | undefined
  /** Names a database of this run, for what a benchmark compares with. */
  readonly name: string
}

export interface Figure {
  readonly name: string
  readonly value: number
  readonly unit: string
  readonly goal?: { readonly atLeast: number } | { readonly atMost: number }
}

export interface Benchmark {
  readonly name: string
  /** What is counted, and what is not. */
  readonly about: string
  run(site: Site): Promise<readonly Figure[]>
}

export function reached({ value, goal }: Figure): boolean | undefined {
  if (goal === undefined) return undefined
  return 'atLeast' in goal ? value >= goal.atLeast : value <= goal.atMost
}
