import type { PartFile, Receive } from '#ports'
import { sleep } from '#waits'
import { type SimFolder, writeAt } from './disk.ts'
import { broken, mishapOf, moveBytes, never, timeFor, unavailable } from './network.ts'
import type { SimProcess, Traffic } from './process.ts'
import type { SimStore } from './store.ts'
import { wait } from './time.ts'

type SimOpenPart = PartFile & { readonly n: number }

export function partFile(process: SimProcess, folder: SimFolder, n: number): Promise<SimOpenPart> {
  const { clock, hold, line } = process
  const disk = () => wait(clock, line.dice.between(0, 2))
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
      seal: sync,
      commit: async () => {
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
