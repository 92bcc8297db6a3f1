import type {
  Body,
  Clock,
  Digest,
  Hasher,
  Journal,
  Motion,
  OpenSource,
  PartFile,
  Receive,
  Send,
  SourceFile,
} from '#ports'
import { sleep } from '#waits'
import { checksumsOf, joined } from './bytes.ts'
import type { Dice } from './dice.ts'
import { lookAt, readAt, type SimFolder, type SimSource, writeAt } from './disk.ts'
import { broken, type Line, mishapOf, moveBytes, never, timeFor, unavailable } from './network.ts'
import type { SimStore } from './store.ts'
import type { SimTime } from './time.ts'
import type { Weather } from './weather.ts'

/** What went over the wire, for the bound on what is sent again. */
export interface Traffic {
  bytes: number
  /** Bytes of attempts that the weather spoiled. */
  spoiled: number
  /** Bytes of attempts that ended with the life of their process. */
  cut: number
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
  readonly journalOn: <Note>(log: Note[]) => Journal<Note>
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
      append: async (notes) => {
        // What a host writes down is text: nothing of the notes may be more than that.
        const write = () => log.push(...(JSON.parse(JSON.stringify(notes)) as typeof log))
        unwritten.add(write)
        await pause(clock, dice.between(0.1, 3))
        unwritten.delete(write)
        write()
      },
      load: async function* () {
        yield* log
      },
    }),
  }
}

const pause = (clock: Clock, ms: number) => new Promise<void>((resolve) => void clock.after(ms, resolve))

// Up

type SimOpen = OpenSource & { readonly source: SimSource }

export function sourceFile(process: SimProcess, source: SimSource): SourceFile {
  const { clock, hold, line } = process
  const disk = () => pause(clock, line.dice.between(0, 1))
  return {
    n: source.n,
    kind: source.kind,
    name: source.name,
    path: source.path,
    ...lookAt(source),
    open: async () => {
      await disk()
      const look = lookAt(source)
      const close = hold('source')
      return {
        source,
        ...look,
        look: async () => {
          await disk()
          return lookAt(source)
        },
        close: async () => close(),
      } satisfies SimOpen
    },
  }
}

export function sender(
  { line, hold, onKill }: SimProcess,
  store: SimStore,
  traffic: Traffic,
  onRead: (source: SimSource) => void,
): Send {
  return async (request, body, motion) => {
    const release = hold('request')
    let sent = 0
    let stored = false
    const cut = () => {
      if (!stored) traffic.cut += sent
    }
    const callOff = onKill(cut)
    try {
      const mishap = mishapOf(line)
      await sleep(line.clock, line.weather.latencyMs, motion.signal)
      const refusal = store.refusal(request.url, line.clock.now())
      if (refusal !== undefined) return refusal
      if (mishap === 'unavailable') return unavailable
      if (mishap === 'reset before') throw broken()
      const pieces: Uint8Array[] = []
      for (const [start, end] of halvesOf(body)) {
        if (body === undefined) break
        if (mishap === 'stall' && pieces.length > 0) await never(line, motion.signal)
        const { source } = body.source as SimOpen
        pieces.push(readAt(source, start, end))
        if (pieces.length === 1) onRead(source)
        await lateLanding(line, store, request.url, body, pieces, () =>
          moveBytes(line, motion, end - start, timeFor(line, end - start)),
        )
        sent += end - start
        traffic.bytes += end - start
        motion.moved(end - start)
        if (mishap === 'reset in body') throw broken()
      }
      const whole = joined(pieces)
      const reply = store.act(request.url, whole)
      stored = true
      await sleep(line.clock, line.weather.latencyMs, motion.signal)
      if (mishap === 'lost reply') throw broken()
      const etag = line.dice.happens(line.weather.noEtag) ? undefined : reply.etag
      return { ...reply, etag, ...(body?.checksums === true ? { checksums: checksumsOf(whole) } : {}) }
    } catch (error) {
      if (pausedBy(motion)) cut()
      else traffic.spoiled += sent
      throw error
    } finally {
      callOff()
      release()
    }
  }
}

const pausedBy = (motion: Motion) => motion.signal.aborted && (motion.signal.reason as Error).message === 'paused'

const halvesOf = (body: Body | undefined): [number, number][] => {
  if (body === undefined) return []
  const middle = body.start + ((body.end - body.start) >> 1)
  return [
    [body.start, middle],
    [middle, body.end],
  ]
}

/** Bytes that were sent before an abort may still arrive, long after. */
async function lateLanding(
  line: Line,
  store: SimStore,
  url: string,
  body: Body,
  pieces: readonly Uint8Array[],
  work: () => Promise<void>,
): Promise<void> {
  try {
    await work()
  } catch (error) {
    const whole = joined(pieces)
    if (whole.length === body.end - body.start && line.dice.happens(0.3)) {
      line.world.after(line.dice.between(0, 60_000), () => void store.act(url, whole))
    }
    throw error
  }
}

/** Reads behind the writers, in steps, and whatever is there at that moment. */
export function createHasher(
  { clock, hold, line }: SimProcess,
  read: (of: object, start: number, end: number) => Uint8Array,
): Hasher {
  return {
    begin: (of): Digest => {
      const release = hold('digest')
      // Mostly close behind, sometimes far.
      const lagMs = line.dice.oneOf([1, 2, 3_000])
      const pieces: Uint8Array[] = []
      let at = 0
      let reading = Promise.resolve()
      let callOff: (() => void) | undefined
      const step = (start: number, end: number) =>
        new Promise<void>((resolve, reject) => {
          callOff = clock.after(line.dice.between(0, lagMs), () => {
            try {
              if (end > start) pieces.push(read(of, start, end))
              resolve()
            } catch (error) {
              reject(error)
            }
          })
        })
      return {
        advance: (end) => {
          const start = at
          at = end
          reading = reading.then(() => step(start, end))
          // Whoever finishes hears of it.
          reading.catch(() => undefined)
        },
        finish: async () => {
          await reading
          return checksumsOf(joined(pieces))
        },
        drop: () => {
          callOff?.()
          reading = Promise.reject(new Error('dropped'))
          reading.catch(() => undefined)
          release()
        },
      }
    },
  }
}

export const readSource = (of: object, start: number, end: number) => readAt((of as SimOpen).source, start, end)

// Down

type SimOpenPart = PartFile & { readonly n: number }

export function partFile(process: SimProcess, folder: SimFolder, n: number): Promise<SimOpenPart> {
  const { clock, hold, line } = process
  const disk = () => pause(clock, line.dice.between(0, 2))
  const open = async (): Promise<SimOpenPart> => {
    await disk()
    if (!folder.parts.has(n)) folder.parts.set(n, { written: new Uint8Array(), synced: new Uint8Array() })
    const part = () => {
      const part = folder.parts.get(n)
      if (part === undefined) throw new Error('The part file is not there any more.')
      return part
    }
    let begun = 0
    let landed = 0
    const sync = async () => {
      const order = ++begun
      const written = part().written.slice()
      await disk()
      // One that began earlier knows less, and takes nothing back.
      if (order < landed) return
      landed = order
      part().synced = written
    }
    const close = hold('part file')
    return {
      n,
      sync,
      commit: async () => {
        await sync()
        if (folder.finished.has(n)) throw new Error('A file was given its name twice.')
        folder.finished.set(n, part().written.slice())
        folder.parts.delete(n)
        await disk()
      },
      empty: async () => {
        await disk()
        folder.parts.set(n, { written: new Uint8Array(), synced: new Uint8Array() })
      },
      close: async () => close(),
    }
  }
  return open()
}

export function receiver(
  process: SimProcess,
  store: SimStore,
  folder: SimFolder,
  traffic: Traffic,
  /** Stretches that were begun and are not ended. */
  begun: Set<string>,
): Receive {
  const { line, hold } = process
  return async ({ url, start, end }, part, motion) => {
    const release = hold('request')
    const { n } = part as SimOpenPart
    begun.add(`${n}/${end}`)
    try {
      const mishap = mishapOf(line)
      await sleep(line.clock, line.weather.latencyMs, motion.signal)
      const refusal = store.refusal(url, line.clock.now())
      if (refusal !== undefined) return refusal
      if (mishap === 'unavailable') return unavailable
      if (mishap === 'reset before') throw broken()
      const object = store.read(url)
      if (object === undefined) return { status: 404, text: '<Error><Code>NoSuchKey</Code></Error>' }
      const middle = start + ((end - start) >> 1)
      for (const [from, to] of [
        [start, middle],
        [middle, end],
      ] as const) {
        if (mishap === 'stall' && from > start) await never(line, motion.signal)
        await moveBytes(line, motion, to - from, timeFor(line, to - from))
        const bytes = object.slice(from, to)
        if (bytes.length > 0 && line.dice.happens(line.weather.bitFlip)) bytes[0] = (bytes[0] ?? 0) ^ 1
        writeAt(folder, n, from, bytes)
        traffic.bytes += to - from
        motion.moved(to - from)
        if (mishap === 'reset in body') throw broken()
        // An answer that ends too early looks like a good one.
        if (mishap === 'lost reply') return { status: 206, text: '' }
      }
      begun.delete(`${n}/${end}`)
      return { status: 206, text: '' }
    } finally {
      release()
    }
  }
}

export const readPart =
  (folder: SimFolder) =>
  (of: object, start: number, end: number): Uint8Array => {
    const part = folder.parts.get((of as SimOpenPart).n)
    if (part === undefined || part.written.length < end) throw new Error('The hasher ran ahead of the writers.')
    return part.written.slice(start, end)
  }
