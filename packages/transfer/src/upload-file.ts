import { Fault, judge, judgeReply, sourceChanged } from './faults.ts'
import { inLane } from './in-lane.ts'
import { chunksOf, usableChunks } from './plan.ts'
import type { Checksums, Claim, OpenSource } from './ports.ts'
import { persist, persistCall } from './retry.ts'
import { sendBody } from './send-body.ts'
import { sendChunks } from './send-chunks.ts'
import { uploadIdOf } from './storage-reply.ts'
import type { Planned, UploadRun } from './upload-run.ts'

/** Brings the bytes of one file into storage and answers what it is to be finalized with. */
export async function uploadFile(run: UploadRun, file: Planned): Promise<Claim> {
  const { claim } = file
  run.meter.file(file.source.n).begin()
  if (claim !== undefined) {
    return withSource(file, async () => {
      run.meter.file(file.source.n).found(claim.size)
      return claim
    })
  }
  return file.chunked ? inChunks(run, file) : inOneRequest(run, file)
}

/** Opens the source, if it is still the file that was planned. */
async function withSource<Result>(file: Planned, work: (source: OpenSource) => Promise<Result>): Promise<Result> {
  const source = await file.source.open()
  try {
    if (source.identity !== file.look.identity) throw sourceChanged(file.source.name)
    return await work(source)
  } finally {
    await source.close()
  }
}

async function inOneRequest(run: UploadRun, file: Planned): Promise<Claim> {
  const meter = run.meter.file(file.source.n)
  const stored = file.resumed ? (await inStorage(run, file, file.look.size)).etags.get(0) : undefined
  if (stored !== undefined) {
    const checksums = await withSource(file, (source) => checksumsOf(run, file, source))
    meter.found(file.look.size)
    return { file_id: file.id, size: file.look.size, etag: stored, ...(checksums === undefined ? {} : { checksums }) }
  }
  const request = file.put
  if (request === undefined) throw addressLost()
  const range = { start: 0, end: file.look.size }
  const given = { request, range, checksums: true, name: file.source.name, identity: file.look.identity, meter }
  const reply = await persist(run.host, run.signal, async (attempt) => {
    const lane = await run.host.lanes.take(file.turn, run.signal)
    try {
      return await withSource(file, (source) => sendBody(run, run.signal, lane, { ...given, source }))
    } catch (error) {
      lane.leave(false)
      // Made to be used once: after a lost answer it says that the object is there, and finalizing looks at it.
      if (judge(error).code === 'already_stored') return undefined
      throw isLost(run, error, attempt) ? addressLost() : error
    }
  })
  return {
    file_id: file.id,
    size: file.look.size,
    ...(reply?.etag === undefined ? {} : { etag: reply.etag }),
    ...(reply?.checksums === undefined ? {} : { checksums: reply.checksums }),
  }
}

// About ten seconds of nothing but broken connections; ten minutes where the store is known to be out of reach, and
// adding the file again and again would only keep the cloud busy.
const brokenInARow = 6
const brokenWhileAway = 28

/** A browser is not shown a refusal of the store, only that something broke: after a while it is taken for one. */
function isLost({ reach }: UploadRun, error: unknown, attempt: number): boolean {
  const { code } = judge(error)
  return (
    code === 'address_refused' || (code === 'network' && attempt >= (reach.isAway() ? brokenWhileAway : brokenInARow))
  )
}

/** The request that only adding the file gives: it has to be added again. */
const addressLost = () => new Fault('permanent', 'address_lost', 'The address for this file is of no use any more.')

interface InStorage {
  /** The upload that the server knows for this file; undefined before its first chunk was asked for. */
  readonly uploadId: string | undefined
  readonly etags: Map<number, string>
}

/** `size` is endless for a file that may still grow: then every whole chunk is of use. */
async function inStorage(run: UploadRun, file: Planned, size: number): Promise<InStorage> {
  const { calls } = run.host
  const has = await persistCall(run.host, run.signal, (signal) => calls.listChunks(file.id, signal))
  const etags = usableChunks(has.chunks, size, file.chunkSize)
  return { uploadId: has.upload_id === '' ? undefined : has.upload_id, etags }
}

async function checksumsOf(run: UploadRun, file: Planned, source: OpenSource): Promise<Checksums | undefined> {
  const digest = run.host.hasher?.begin(source)
  try {
    digest?.advance(file.look.size)
    const checksums = await digest?.finish()
    if ((await source.look()).identity !== file.look.identity) throw sourceChanged(file.source.name)
    return checksums
  } finally {
    digest?.drop()
  }
}

async function inChunks(run: UploadRun, file: Planned): Promise<Claim> {
  const { growth } = file.source
  const has = file.resumed ? await inStorage(run, file, growth === undefined ? file.look.size : Infinity) : undefined
  const uploadId = has?.uploadId ?? file.uploadId ?? (await openUpload(run, file))
  const etags = has?.etags ?? new Map<number, string>()
  const { size, checksums } = await withSource(file, (source) => {
    const upload = { uploadId, source, etags }
    if (growth === undefined) return sendChunks(run, file, upload)
    if (run.host.sendGrowth === undefined) throw new Error('This host sends no files that still grow.')
    return run.host.sendGrowth(run, file, upload, growth)
  })
  const chunks = chunksOf(size, file.chunkSize)
  // A browser may not be shown the ETags, and the server compares them in any case.
  const known = etags.size === chunks ? etags : (await inStorage(run, file, size)).etags
  const claim: Claim = {
    file_id: file.id,
    size,
    file_extras: { upload_id: uploadId },
    chunk_extras: [...known].sort(([a], [b]) => a - b).map(([index, etag]) => ({ part_number: index + 1, etag })),
    ...(checksums === undefined ? {} : { checksums }),
  }
  await run.note({ kind: 'claimed', n: file.source.n, claim })
  return claim
}

/** Opens the upload in storage. One that was opened and not heard of is cleared away by the server. */
async function openUpload(run: UploadRun, file: Planned): Promise<string> {
  const { create } = file
  if (create === undefined) throw addressLost()
  const uploadId = await persist(run.host, run.signal, async (attempt) => {
    const lane = await run.host.lanes.take(file.turn, run.signal)
    try {
      const reply = await inLane(run, run.signal, lane, ignore, (motion) => run.host.send(create, undefined, motion))
      const fault = judgeReply(reply)
      if (fault !== undefined) throw fault
      const opened = uploadIdOf(reply.text)
      if (opened === undefined) throw new Fault('transient', 'storage_unavailable', 'Storage named no UploadId.')
      return opened
    } catch (error) {
      throw isLost(run, error, attempt) ? addressLost() : error
    } finally {
      lane.leave(false)
    }
  })
  await run.note({ kind: 'opened', n: file.source.n, uploadId })
  return uploadId
}

const ignore = () => undefined
