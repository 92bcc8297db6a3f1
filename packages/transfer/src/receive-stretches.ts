import { createAddress, type Address } from './address.ts'
import type { DownloadRun } from './download-run.ts'
import { addressMayBeStale, Fault, isCongestion, judge, judgeReply } from './faults.ts'
import { inLane } from './in-lane.ts'
import { again, type Lane, type Turn } from './lane-pool.ts'
import { chunkRange, type Range } from './plan.ts'
import type { Checksums, PartFile, WantedFile } from './ports.ts'
import { persist } from './retry.ts'
import { startEach } from './start-each.ts'
import { createSyncing, type Syncing } from './sync-behind.ts'
import { inScope } from './waits.ts'

interface Begun {
  readonly turn: Turn
  /** What is in the part file already. */
  readonly stretches: readonly Range[]
}

/** Fetches what is missing, in as many lanes as there are. Answers the checksums, read behind the writers. */
export async function receiveAll(
  run: DownloadRun,
  file: WantedFile,
  part: PartFile,
  begun: Begun,
): Promise<Checksums | undefined> {
  const cut = run.cut(file.size)
  const has = new Set(begun.stretches.map(({ start }) => start / cut))
  run.meter.file(file.n).begin()
  const digest = file.sha256 === undefined ? undefined : run.host.hasher.begin(part, 'sha256')
  const syncing = createSyncing(run, file, part)
  let frontier = 0
  const readOn = () => {
    while (has.has(frontier)) frontier++
    digest?.advance(Math.min(file.size, frontier * cut))
  }
  try {
    readOn()
    await inScope(run.signal, (scope) =>
      startEach(missing(run, file, { has, cut, turn: begun.turn, signal: scope.signal }), scope, async (one) => {
        await receiveOne(run, file, { part, syncing }, one)
        has.add(one.range.start / cut)
        readOn()
      }),
    )
    const checksums = await digest?.finish()
    await syncing.settled()
    return checksums
  } finally {
    digest?.drop()
    await syncing.settled().catch(() => undefined)
  }
}

/** A stretch, with what its first attempt needs. */
interface Missing {
  readonly range: Range
  readonly lane: Lane
  readonly address: Address
  readonly turn: Turn
  readonly signal: AbortSignal
}

/** The stretches to fetch, in order, each as soon as there is a lane for it. */
async function* missing(
  run: DownloadRun,
  file: WantedFile,
  so: { readonly has: ReadonlySet<number>; readonly cut: number; readonly turn: Turn; readonly signal: AbortSignal },
): AsyncGenerator<Missing> {
  const { has, cut, turn, signal } = so
  const address = createAddress(run, file.id, signal)
  for (let index = 0; index * cut < file.size; index++) {
    const range = chunkRange(index, file.size, cut)
    if (has.has(index)) {
      run.meter.file(file.n).found(range.end - range.start)
      continue
    }
    // Asked before a lane is taken, which would wait for it in vain.
    await address.get()
    yield { range, lane: await run.host.lanes.take(turn, signal), address, turn, signal }
  }
}

interface Into {
  readonly part: PartFile
  readonly syncing: Syncing
}

/** Fetches one stretch. What arrived before a line broke is kept; the next attempt asks for the rest. */
async function receiveOne(run: DownloadRun, file: WantedFile, into: Into, one: Missing): Promise<void> {
  const { range, address, turn, signal } = one
  let { start } = range
  let first: Lane | undefined = one.lane
  const attempt = async (number: number): Promise<void> => {
    const before = start
    const url = await address.get()
    const lane = first ?? (await run.host.lanes.take(again(turn), signal))
    first = undefined
    const meter = run.meter.file(file.n).stretch()
    const moved = (bytes: number) => {
      start += bytes
      meter.moved(bytes)
    }
    let trouble = false
    try {
      const stretch = { url, start, end: range.end, size: file.size }
      const reply = await inLane(run, signal, lane, moved, (motion) => run.host.receive(stretch, into.part, motion))
      const fault = judgeReply(reply)
      if (fault !== undefined) throw fault
      if (start < range.end) throw new Fault('transient', 'network', 'The answer ended too early.')
      // Still in the lane: what is not noted is fetched again after a crash, and so there is never more than that.
      await into.syncing.written(range)
    } catch (error) {
      const fault = judge(error)
      trouble = isCongestion(fault)
      if (addressMayBeStale(fault, number)) address.forget(url)
      // Something came: that is no reason to wait.
      if (fault.verdict !== 'transient' || start === before) throw error
    } finally {
      meter.end(start - before)
      lane.leave(trouble)
    }
  }
  try {
    do await persist(run.host, signal, attempt)
    while (start < range.end)
  } finally {
    one.lane.leave(false)
  }
}
