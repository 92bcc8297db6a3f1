import type { Clock, Motion, StorageReply } from '#ports'
import { sleep } from '#waits'
import { SimRefusal } from './cloud.ts'
import type { Dice } from './dice.ts'
import type { Weather } from './weather.ts'

/** The line of one process to the world. */
export interface Line {
  readonly clock: Clock
  readonly world: Clock
  readonly dice: Dice
  readonly weather: Weather
}

export const broken = () => new Error('The connection broke.')

/** A call of the cloud. Once it has left us it takes its effect, whatever becomes of us. */
export async function call<Reply>({ clock, world, dice, weather }: Line, signal: AbortSignal, effect: () => Reply) {
  const { latencyMs } = weather
  if (dice.happens(weather.resetBefore)) {
    await sleep(clock, latencyMs, signal)
    throw broken()
  }
  if (dice.happens(weather.unavailable)) {
    await sleep(clock, latencyMs * 2, signal)
    throw dice.happens(0.5) ? new SimRefusal(503, 'storage_unavailable', 1) : new SimRefusal(429, 'rate_limited', 2)
  }
  let outcome: { readonly reply: Reply } | { readonly refused: unknown } | undefined
  world.after(latencyMs, () => {
    try {
      outcome = { reply: effect() }
    } catch (refused) {
      outcome = { refused }
    }
  })
  await sleep(clock, latencyMs * 2, signal)
  if (dice.happens(weather.lostReply)) throw broken()
  if (outcome === undefined) throw new Error('An answer came before its question.')
  if ('refused' in outcome) throw outcome.refused
  return outcome.reply
}

/** How a transfer of bytes ends badly. */
export type Mishap = 'unavailable' | 'reset before' | 'reset in body' | 'stall' | 'lost reply' | undefined

export function mishapOf({ dice, weather }: Line): Mishap {
  if (dice.happens(weather.unavailable)) return 'unavailable'
  if (dice.happens(weather.resetBefore)) return 'reset before'
  if (dice.happens(weather.resetInBody)) return 'reset in body'
  if (dice.happens(weather.stall)) return 'stall'
  return dice.happens(weather.lostReply) ? 'lost reply' : undefined
}

export const unavailable: StorageReply = {
  status: 503,
  text: '<Error><Code>SlowDown</Code></Error>',
}

/** Moves a piece of a body over the line: waits for its pace, takes its time, and tells of it. */
export async function moveBytes(line: Line, motion: Motion, bytes: number, pieceMs: number): Promise<void> {
  await motion.pace(bytes)
  await sleep(line.clock, pieceMs, motion.signal)
}

export const timeFor = ({ dice, weather }: Line, bytes: number) =>
  (bytes / weather.bytesPerSecond) * 1_000 * (dice.happens(weather.slowBody) ? 40 : 1)

export const never = (line: Line, signal: AbortSignal) => sleep(line.clock, 365 * 24 * 3_600_000, signal)
