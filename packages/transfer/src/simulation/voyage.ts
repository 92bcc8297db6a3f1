import { downloadPackage, type DownloadOutcome } from '#download-package'
import type { DownloadNote } from '#download-journal'
import { createLanePool } from '#lane-pool'
import type { UploadCalls } from '#ports'
import { createLimiter } from '#rate'
import type { FileNews } from '#transfer-host'
import { sendGrowth } from '#send-growth'
import { uploadPackage, type UploadOutcome } from '#upload-package'
import type { UploadNote } from '#upload-journal'
import { digestOf } from './bytes.ts'
import { createCloud, type SimCloud } from './cloud.ts'
import { createDice, type Dice } from './dice.ts'
import {
  createFolder,
  disturb,
  foundIn,
  loseUnsynced,
  type SimFolder,
  sweep,
  type SimSource,
  writeSlowly,
} from './disk.ts'
import { broken, call } from './network.ts'
import { createHasher } from './hashing.ts'
import { createProcess, type SimLog, type SimProcess, type Traffic } from './process.ts'
import { partFile, readPart, receiver } from './receiving.ts'
import { readSource, sender, sourceFile } from './sending.ts'
import { createStore, type SimStore } from './store.ts'
import { createTime, type SimTime, wait } from './time.ts'
import type { Weather } from './weather.ts'

/** What a voyage is to be like. */
export interface Course {
  readonly weather: Weather
  readonly sources: readonly SimSource[]
  /** Lives that end before their work: killed, or paused by the user. */
  readonly hardLives: number
  readonly chunkSize: number
  readonly lanes: number
  /** How many of the files are still being written. */
  readonly growing: number
  /** How often files of the sender change. */
  readonly disturbances: number
  /** Whether so much time passes between two lives that the cloud forgets idempotency keys. */
  readonly cloudForgets: boolean
  /** How often the server dies in the middle of finalizing a file. */
  readonly serverDies: number
  readonly refusedName: string
  readonly bytesPerSecondLimit?: number
  /** For so long the store answers nothing at all, while the cloud does. */
  readonly storeSilentMs?: number
  readonly onStore?: (reached: boolean) => void
  /** Hears how many files were asked for that are not finished yet. */
  readonly onOpenFiles?: (count: number) => void
}

/** The world of one seed. */
export interface World {
  readonly time: SimTime
  readonly dice: Dice
  readonly store: SimStore
  readonly cloud: SimCloud
  readonly course: Course
}

export interface Voyage {
  readonly outcome: UploadOutcome | DownloadOutcome
  /** Lives that ended in an error. */
  readonly errors: number
  readonly traffic: Traffic
  /** Lives that did not end by themselves. */
  readonly cutShort: number
  readonly tookMs: number
  readonly cloud: SimCloud
  readonly store: SimStore
}

export function createWorld(seed: number, course: (dice: Dice) => Course): World {
  const dice = createDice(seed)
  const time = createTime()
  const store = createStore()
  const plan = course(dice)
  const { chunkSize, refusedName, weather, serverDies } = plan
  const { addressLifeMs } = weather
  const settings = { chunkSize, refusedName, addressLifeMs, diesAfterJoining: () => dice.happens(serverDies) }
  return { time, dice, store, cloud: createCloud(store, time.now, settings), course: plan }
}

/** Breaks every request to the store until it may be heard. */
const silentUntil =
  (time: SimTime, end: number) =>
  <Args extends readonly unknown[], Reply>(ask: (...args: Args) => Promise<Reply>) =>
  async (...args: Args): Promise<Reply> => {
    if (time.now() < end) throw broken()
    return ask(...args)
  }

const listening = ({ onStore }: Course) => (onStore === undefined ? {} : { onStore })

type Ended<Outcome> = Outcome | 'killed'

/** Lives one life of a process until it has an outcome, is paused or is killed. Checks that nothing is left behind. */
async function live<Outcome extends { readonly state: string }>(
  world: World,
  hard: boolean,
  run: (process: SimProcess, signal: AbortSignal) => { outcome: Promise<Outcome>; lanesInUse: () => number },
): Promise<{ readonly ended: Ended<Outcome>; readonly process: SimProcess }> {
  const { time, dice, course } = world
  const process = createProcess(time, dice, course.weather)
  const stop = new AbortController()
  const { outcome, lanesInUse } = run(process, stop.signal)
  const fate = hard ? dice.oneOf(['killed', 'paused']) : 'lives'
  const reaper = time.clockOf(Symbol('reaper'))
  // Mostly early, sometimes late: most of what can go wrong goes wrong soon.
  const end = fate === 'lives' ? undefined : wait(reaper, 10 ** dice.between(0, 4.5))
  const killed = end?.then(async (): Promise<Ended<Outcome>> => {
    if (fate === 'paused') {
      stop.abort(new Error('paused'))
      return outcome
    }
    process.kill()
    return 'killed'
  })
  const ended = await time.until<Ended<Outcome>>(killed === undefined ? outcome : Promise.race([outcome, killed]))
  if (ended !== 'killed') {
    const held = process.held()
    if (held.length > 0) throw new Error(`After '${ended.state}' somebody still holds: ${held.join(', ')}`)
    if (lanesInUse() !== 0) throw new Error(`After '${ended.state}' ${lanesInUse()} lanes are still taken.`)
  }
  return { ended, process }
}

/** Bytes of a file, as they are told, never go back nor beyond its end. */
function watchBytes(sizeOf: (n: number) => number): (n: number, bytes: number) => void {
  const last = new Map<number, number>()
  return (n, bytes) => {
    if (bytes <= (last.get(n) ?? 0)) throw new Error(`Progress of file ${n} went back.`)
    if (bytes > sizeOf(n)) throw new Error(`Progress of file ${n} went beyond its end.`)
    last.set(n, bytes)
  }
}

/** Uploads until it is done, in as many lives as it takes. */
export async function upload(world: World): Promise<Voyage> {
  const { time, dice, store, cloud, course } = world
  const log: SimLog<UploadNote> = { notes: [], lasting: 0 }
  const traffic: Traffic = { bytes: 0, spoiled: 0, cut: 0 }
  const beganAt = time.now()
  const fromSilence = silentUntil(time, beganAt + (course.storeSilentMs ?? 0))
  const fate = time.clockOf(Symbol('fate'))
  let disturbances = course.disturbances
  // While it is being read, or soon after: at any other time it would just be another file.
  const onRead = (source: SimSource) => {
    if (disturbances === 0 || !dice.happens(0.3)) return
    disturbances--
    fate.after(dice.happens(0.5) ? dice.between(0, 300) : 10 ** dice.between(0, 4), () =>
      source.gone ? undefined : disturb(source, dice),
    )
  }
  for (const source of course.sources.slice(0, course.growing)) writeSlowly(source, fate, dice, 1 + dice.below(20))
  const sizeOf = (n: number) => Math.max(0, ...(course.sources[n]?.versions ?? []).map((version) => version.length))
  let cutShort = 0
  let errors = 0
  for (let life = 0; ; life++) {
    if (course.cloudForgets) cloud.forget()
    const { ended } = await live(world, life < course.hardLives, (process, signal) => {
      const { line, clock } = process
      const lanes = createLanePool(clock, { least: 1, most: course.lanes, first: course.lanes })
      const calls: UploadCalls = {
        addFiles: (files, key, signal) => call(line, signal, () => cloud.addFiles(files, key)),
        chunkRequests: (id, wanted, signal) => call(line, signal, () => cloud.chunkRequests(id, wanted)),
        finalizeFiles: (claims, signal) => call(line, signal, () => cloud.finalizeFiles(claims)),
        listChunks: (id, signal) => call(line, signal, () => cloud.listChunks(id)),
        removeFile: (id, signal) => call(line, signal, () => cloud.removeFile(id)),
        listFiles: (signal) => call(line, signal, () => cloud.listFiles()),
        finalizePackage: (signal) => call(line, signal, () => cloud.finalizePackage()),
      }
      const host = {
        clock,
        chance: dice.next,
        lanes,
        limiters: [createLimiter(clock, course.bytesPerSecondLimit)],
        files: filesOf(process, course.sources, () => course.onOpenFiles?.(++open)),
        calls,
        send: fromSilence(sender(process, store, traffic, onRead)),
        hasher: createHasher(process, readSource),
        journal: process.journalOn(log),
        sendGrowth,
      }
      let open = 0
      const onFile = (_: number, { state }: FileNews) => (state === 'transferring' ? undefined : open--)
      const options = { finalize: true, onBytes: watchBytes(sizeOf), onFile, ...listening(course) }
      return { outcome: uploadPackage(host, options, signal), lanesInUse: lanes.inUse }
    })
    if (ended === 'killed' || ended.state === 'paused') {
      cutShort++
      continue
    }
    // A user who sees an error tries again; what cannot be healed is still there after a few times.
    if (ended.state === 'error') errors++
    if (ended.state === 'error' && life < course.hardLives + 4) continue
    return { outcome: ended, errors, traffic, cutShort, tookMs: time.now() - beganAt, cloud, store }
  }
}

/** A file that is gone before its listing is not listed; later it is, as it was last. */
async function* filesOf(process: SimProcess, sources: readonly SimSource[], onNext: () => void) {
  for (const source of sources) {
    onNext()
    const { gone } = source
    source.gone = false
    const listed = sourceFile(process, source)
    source.gone = gone
    yield listed
  }
}

/** Downloads what an upload has brought, until it is done. */
export async function download(world: World): Promise<Voyage & { readonly folder: SimFolder }> {
  const { time, dice, store, cloud, course } = world
  const log: SimLog<DownloadNote> = { notes: [], lasting: 0 }
  let boot = 0
  const traffic: Traffic = { bytes: 0, spoiled: 0, cut: 0 }
  const folder = createFolder()
  const beganAt = time.now()
  const fromSilence = silentUntil(time, beganAt + (course.storeSilentMs ?? 0))
  const begun = new Set<string>()
  let swept = 0
  // What may have to be fetched again: what is half fetched, and what is being written down.
  const cut = () => {
    traffic.cut += (begun.size + course.lanes) * course.chunkSize
    begun.clear()
  }
  const files = [...cloud.files.values()].filter(({ added }) => added.kind === 'file')
  const hashed = files.map(() => course.weather.bitFlip > 0 || dice.happens(0.8))
  let cutShort = 0
  let errors = 0
  for (let life = 0; ; life++) {
    folder.full = life < course.hardLives && dice.happens(0.1)
    const { ended } = await live(world, life < course.hardLives, (process, signal) => {
      const { line, clock } = process
      const lanes = createLanePool(clock, { least: 1, most: course.lanes, first: course.lanes })
      const wanted = async function* () {
        for (const [n, { id, key, added }] of files.entries()) {
          yield {
            n,
            id,
            size: added.size ?? 0,
            ...(hashed[n] === true ? { sha256: digestOf(store.objects.get(key) ?? new Uint8Array()) } : {}),
            found: async () => foundIn(folder, n),
            open: () => partFile(process, folder, n),
          }
        }
      }
      const host = {
        clock,
        chance: dice.next,
        lanes,
        files: wanted(),
        calls: {
          fileUrls: (ids: readonly string[], signal: AbortSignal) => call(line, signal, () => cloud.fileUrls(ids)),
        },
        receive: fromSilence(receiver(process, store, folder, traffic, begun)),
        hasher: createHasher(process, readPart(folder)),
        journal: process.journalOn(log),
        boot: String(boot),
      }
      const sizeOf = (n: number) => files[n]?.added.size ?? 0
      const options = { stretchSize: () => course.chunkSize, onBytes: watchBytes(sizeOf), ...listening(course) }
      return { outcome: downloadPackage(host, options, signal), lanesInUse: lanes.inUse }
    })
    if (ended === 'killed' && dice.happens(0.5)) {
      traffic.cut += loseUnsynced(folder)
      log.notes.length = log.lasting
      boot++
    }
    if (life < course.hardLives && dice.happens(0.2)) swept += sweep(folder)
    if (ended === 'killed' || ended.state !== 'complete') cut()
    if (ended === 'killed' || ended.state === 'paused') {
      cutShort++
      continue
    }
    if (ended.state === 'error' && life < course.hardLives + 20) {
      errors++
      continue
    }
    traffic.spoiled = swept
    return { outcome: ended, errors, traffic, cutShort, tookMs: time.now() - beganAt, cloud, store, folder }
  }
}
