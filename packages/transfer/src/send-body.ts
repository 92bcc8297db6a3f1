import { isCongestion, judge, judgeReply, sourceChanged } from './faults.ts'
import { inLane } from './in-lane.ts'
import type { Lane } from './lane-pool.ts'
import type { FileMeter } from './meter.ts'
import type { Range } from './plan.ts'
import type { Blueprint, OpenSource, StorageReply } from './ports.ts'
import type { UploadRun } from './upload-run.ts'

/** Sends a stretch of a source, and makes sure that the source is still what it was. Gives the lane back. */
export async function sendBody(
  run: UploadRun,
  signal: AbortSignal,
  lane: Lane,
  given: {
    readonly request: Blueprint
    readonly source: OpenSource
    readonly range: Range
    readonly checksums: boolean
    readonly name: string
    readonly identity: string
    readonly meter: FileMeter
  },
): Promise<StorageReply> {
  const { request, source, range, checksums, name, identity } = given
  const meter = given.meter.stretch()
  let kept = 0
  let trouble = false
  try {
    const reply = await inLane(run, signal, lane, meter.moved, (motion) =>
      run.host.send(request, { source, ...range, checksums }, motion),
    )
    const fault = judgeReply(reply)
    if (fault !== undefined) throw fault
    if ((await source.look()).identity !== identity) throw sourceChanged(name)
    kept = range.end - range.start
    return reply
  } catch (error) {
    trouble = isCongestion(judge(error))
    throw error
  } finally {
    meter.end(kept)
    lane.leave(trouble)
  }
}
