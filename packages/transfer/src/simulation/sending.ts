import type { Body, Growth, Motion, OpenSource, Send, SourceFile } from '#ports'
import { sleep } from '#waits'
import { checksumsOf, joined } from './bytes.ts'
import { lookAt, readAt, type SimSource } from './disk.ts'
import { broken, type Line, mishapOf, moveBytes, never, timeFor, unavailable } from './network.ts'
import type { SimProcess, Traffic } from './process.ts'
import type { SimStore } from './store.ts'
import { wait } from './time.ts'

type SimOpen = OpenSource & { readonly source: SimSource }

export function sourceFile(process: SimProcess, source: SimSource): SourceFile {
  const { clock, hold, line } = process
  const disk = () => wait(clock, line.dice.between(0, 1))
  return {
    n: source.n,
    kind: source.kind,
    name: source.name,
    path: source.path,
    ...lookAt(source),
    ...(source.growth === undefined ? {} : { growth: growthOf(process, source.growth) }),
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

const growthOf = ({ clock }: SimProcess, growth: NonNullable<SimSource['growth']>): Growth => ({
  plannedSize: 1,
  beyond: async (known, signal) => {
    while (growth.stable <= known && !growth.over) await sleep(clock, 50, signal)
    return { ...growth }
  },
})

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

export const readSource = (of: object, start: number, end: number) => readAt((of as SimOpen).source, start, end)
