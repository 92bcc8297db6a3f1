import { performance } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'

/** Milliseconds, call by call. */
export interface Answered {
  readonly fromDue: number[]
  readonly late: number[]
}

/** Makes calls when they are due, whether or not the ones before were answered. */
export async function openLoop(
  callsPerSecond: number,
  calls: number,
  ask: (turn: number) => Promise<unknown>,
): Promise<Answered> {
  const fromDue: number[] = []
  const late: number[] = []
  const under: Promise<unknown>[] = []
  const begin = performance.now()
  for (let turn = 0; turn < calls; ) {
    const now = performance.now()
    for (; turn < calls; turn += 1) {
      const due = begin + (turn * 1000) / callsPerSecond
      if (due > now) break
      late.push(performance.now() - due)
      under.push(ask(turn).then(() => fromDue.push(performance.now() - due)))
    }
    await sleep(1)
  }
  await Promise.all(under)
  return { fromDue, late }
}
