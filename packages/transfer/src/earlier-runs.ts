import { addedBefore, takeOut } from './add-files.ts'
import type { Turn } from './lane-pool.ts'
import type { AddedFile, Look, SourceFile } from './ports.ts'
import type { Batch, LeftOpen, UploadMemory } from './upload-journal.ts'
import type { Planned, UploadRun } from './upload-run.ts'

/** What earlier runs left of a file; undefined for one that the package does not know. */
export type KnownBefore = (source: SourceFile, turn: Turn) => Promise<Planned | undefined>

/**
 * Takes up what earlier runs left. Calls whose reply was lost are settled here, before anything new is added: later,
 * what such a call put into the package could not be told from what this run has added in its place.
 */
export async function takeUpEarlierRuns(run: UploadRun, { open }: UploadMemory): Promise<KnownBefore> {
  const replies = new Map<string, Promise<readonly AddedFile[] | undefined>>()
  const replyTo = (batch: Batch) => {
    const reply = replies.get(batch.key) ?? addedBefore(run, batch)
    replies.set(batch.key, reply)
    return reply
  }

  const unanswered = new Set([...open.values()].map(({ batch }) => batch).filter(({ added }) => added === undefined))
  for (const batch of unanswered) {
    if ((await replyTo(batch)) !== undefined) continue
    await takeOut(
      run,
      batch.files.map(({ file }) => file),
    )
    for (const { n } of batch.files) open.delete(n)
  }

  return async (source, turn) => {
    const left = open.get(source.n)
    open.delete(source.n)
    const adding = left?.batch.files[left.index]
    if (left === undefined || adding === undefined) return undefined
    const { identity, file } = adding
    const look = { size: file.size ?? 0, lastModified: file.last_modified, identity }
    return known(left, planned(source, look, turn))
  }

  async function known({ batch, index, uploadId, claim }: LeftOpen, plan: Plan): Promise<Planned | undefined> {
    const noted = batch.added?.[index]
    const resumed = { ...plan, resumed: true, uploadId, claim }
    const withoutAddress = noted === undefined ? undefined : { ...resumed, ...noted, put: undefined, create: undefined }
    if (uploadId !== undefined && withoutAddress !== undefined) return withoutAddress
    const added = (await replyTo(batch))?.[index]
    // Without an address it may still be found in storage; if not, it is added again.
    return added === undefined ? withoutAddress : { ...resumed, ...asKnown(added) }
  }
}

type Plan = ReturnType<typeof planned>

export const planned = (source: SourceFile, look: Look, turn: Turn) =>
  ({ source, look, turn, resumed: false, uploadId: undefined, claim: undefined }) as const

/** A file as the package knows it. */
export const asKnown = ({ file, put_blueprint: put, create_blueprint: create }: AddedFile) => ({
  id: file.id,
  chunkSize: file.chunk_size,
  chunked: create !== null,
  put: put ?? undefined,
  create: create ?? undefined,
})
