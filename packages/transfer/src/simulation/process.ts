import type { Clock, Journal } from '#ports'
import type { Dice } from './dice.ts'
import type { Line } from './network.ts'
import { type SimTime, wait } from './time.ts'
import type { Weather } from './weather.ts'

/** What went over the wire, for the bound on what is sent again. */
export interface Traffic {
  bytes: number
  /** Bytes of attempts that the weather spoiled. */
  spoiled: number
  /** Bytes of attempts that ended with the life of their process. */
  cut: number
}

/** What a journal has on its disk, and how much of it a crash of the machine leaves. */
export interface SimLog<Note> {
  notes: Note[]
  lasting: number
}

/** One life of a host process: its ports, and what it holds open. */
export interface SimProcess {
  readonly clock: Clock
  readonly line: Line
  /** As kill -9: nothing of it goes on, nothing is told to anybody. */
  readonly kill: () => void
  /** What is still held. Empty when a run has cleaned up behind itself. */
  readonly held: () => readonly string[]
  readonly hold: (what: string) => () => void
  /** To be done when it is killed. Answers how to call it off. */
  readonly onKill: (act: () => void) => () => void
  readonly journalOn: <Note>(log: SimLog<Note>) => Journal<Note>
}

export function createProcess(time: SimTime, dice: Dice, weather: Weather): SimProcess {
  const owner = Symbol('process')
  const clock = time.clockOf(owner)
  const world = time.clockOf(Symbol('world'))
  const held = new Map<symbol, string>()
  const unwritten = new Set<() => void>()
  const lastActs = new Set<() => void>()

  const hold = (what: string) => {
    const token = Symbol(what)
    held.set(token, what)
    return () => void held.delete(token)
  }

  return {
    clock,
    line: { clock, world, dice, weather },
    hold,
    onKill: (act) => {
      lastActs.add(act)
      return () => void lastActs.delete(act)
    },
    held: () => [...held.values(), ...Array.from({ length: time.pending(owner) }, () => 'timer')],
    kill: () => {
      time.drop(owner)
      // An append that was under way is there, or it is not.
      for (const write of unwritten) if (dice.happens(0.5)) write()
      for (const act of lastActs) act()
    },
    journalOn: (log) => ({
      append: async (notes, outlive) => {
        // What a host writes down is text: nothing of the notes may be more than that.
        const write = () => {
          log.notes.push(...(JSON.parse(JSON.stringify(notes)) as typeof log.notes))
          if (outlive === 'machine') log.lasting = log.notes.length
        }
        unwritten.add(write)
        await wait(clock, dice.between(0.1, 3))
        unwritten.delete(write)
        write()
      },
      load: async function* () {
        yield* log.notes
      },
    }),
  }
}
