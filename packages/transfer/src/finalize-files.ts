import { type Fault, judgeRefusal } from './faults.ts'
import { gather } from './gather.ts'
import type { Claim, FinalizeResult } from './ports.ts'
import { persist, persistCall } from './retry.ts'
import type { UploadRun } from './upload-run.ts'

/** A file whose bytes are all in storage. */
export interface Finished {
  readonly n: number
  readonly claim: Claim
}

const mostInOneCall = 500
// A claim of ten thousand parts is near a megabyte, and a call may have eight.
const mostParts = 40_000
const lingerMs = 20
const more = { enough: 100, waitMs: 250 }

/** Finalizes files, many by one call, and notes them as done. Rejects with the refusal of the one file it is about. */
export function fileFinalizer(run: UploadRun): (finished: Finished) => Promise<void> {
  const weigh = ({ claim }: Finished) => claim.chunk_extras?.length ?? 1
  const options = { most: mostInOneCall, heaviest: mostParts, weigh, lingerMs, more }
  return gather(run.host.clock, run.signal, options, (files) => finalizeAll(run, files))
}

async function finalizeAll(run: UploadRun, files: readonly Finished[]): Promise<readonly (undefined | Error)[]> {
  const outcomes = new Map<string, Fault | 'done'>()
  let left = files
  await persist(run.host, run.signal, async () => {
    left = left.filter(({ claim }) => !outcomes.has(claim.file_id))
    const results = await callFor(run, left)
    const passing = settle(results, outcomes)
    if (passing !== undefined) throw passing
  })
  const done = files.filter(({ claim }) => outcomes.get(claim.file_id) === 'done').map(({ n }) => n)
  if (done.length > 0) await run.note({ kind: 'done', ns: done })
  return files.map(({ claim }) => {
    const outcome = outcomes.get(claim.file_id)
    return outcome === 'done' ? undefined : outcome
  })
}

const callFor = ({ host, signal }: UploadRun, files: readonly Finished[]) =>
  persistCall(host, signal, (signal) =>
    host.calls.finalizeFiles(
      files.map(({ claim }) => claim),
      signal,
    ),
  )

/** Writes down what is settled. Answers a fault that will pass, if there is one. */
function settle(results: readonly FinalizeResult[], outcomes: Map<string, Fault | 'done'>): Fault | undefined {
  let passing: Fault | undefined
  for (const { file_id: id, status, error, message } of results) {
    if (status === 204) {
      outcomes.set(id, 'done')
      continue
    }
    const fault = judgeRefusal({
      status,
      ...(error === undefined ? {} : { error }),
      ...(message === undefined ? {} : { message }),
    })
    if (fault.verdict === 'transient') passing = fault
    else outcomes.set(id, fault)
  }
  return passing
}
