import { setTimeout as sleep } from 'node:timers/promises'
import { statusOf } from '@longshore/contract/errors'
import { crashPoint } from '@longshore/kit/crash-point'
import type { StoredObject } from '#blob/port'
import { StorageRefusal, UploadGone } from '#blob/storage-errors'
import type { Caller } from '#domain/access/caller'
import { inLanes } from '#domain/at-once'
import type { Cx } from '#domain/cx'
import { inspectionTopic } from '#domain/inspection/topic'
import { noSuchPackage, packageNotNew } from '#domain/packages/refusals'
import { announceProgress } from '#domain/realtime/announce'
import { Refusal } from '#domain/refusal'
import type { Tx } from '#platform/db'
import {
  closeFiles,
  type Completion,
  fileById,
  type FileRow,
  filesById,
  type FinishedFile,
  markCompleting,
} from '#store/files'
import { type LockedPackage, lockPackage, noteActivity, type PackageRow } from '#store/packages'
import {
  checksumsOf,
  claimDigest,
  type ClaimedPart,
  claimedParts,
  disagreement,
  type FileClaim,
  joinedEtag,
  plainEtag,
} from './claim.ts'
import { objectsInSight } from './objects-in-sight.ts'
import { noSuchFile, notChunked, openPackage, uploadMismatch } from './open-file.ts'
import { admitRealSizes } from './restrictions.ts'

// Storage calls that one batch has under way at a time.
const atOnce = 16

type Needs = Pick<Cx, 'db' | 'blob'>

/** Finalizes one file by the spec's call. */
export async function finalizeFile(
  cx: Needs,
  caller: Caller,
  packageId: string,
  fileId: string,
  claim: FileClaim,
): Promise<void> {
  const pkg = await openPackage(cx, caller, packageId)
  const [outcome] = await finalizeAll(cx, pkg, [{ ...claim, file_id: fileId }])
  if (outcome?.refusal !== undefined) throw outcome.refusal
}

/** Finalizes many files; each has its own result. */
export async function finalizeFiles(
  cx: Needs,
  caller: Caller,
  packageId: string,
  claims: readonly (FileClaim & { readonly file_id: string })[],
) {
  const pkg = await openPackage(cx, caller, packageId)
  const outcomes = await finalizeAll(cx, pkg, claims)
  return {
    results: outcomes.map(({ fileId, refusal }) =>
      refusal === undefined
        ? { file_id: fileId, status: 204 }
        : { file_id: fileId, status: statusOf(refusal.code), error: refusal.code, message: refusal.message },
    ),
  }
}

interface Outcome {
  readonly fileId: string
  readonly refusal: Refusal | undefined
}

/** A file on its way to being closed. */
interface Candidate {
  readonly file: FileRow
  readonly key: string
  readonly claim: FileClaim
  readonly size: number
  readonly digest: Buffer
  /** Undefined for a file that was stored in one request. */
  readonly joining:
    | { readonly uploadId: string; readonly parts: readonly ClaimedPart[]; readonly etag: string | undefined }
    | undefined
  /** The object, where it is known to be there already. */
  readonly stored: StoredObject | undefined
}

/**
 * Completion by identity. What the object must be is written down before the store is asked to join the parts; after an
 * unclear answer the object itself decides. So a crash anywhere in here is healed by sending the same call again.
 */
async function finalizeAll(
  cx: Needs,
  pkg: PackageRow,
  claims: readonly (FileClaim & { readonly file_id: string })[],
): Promise<readonly Outcome[]> {
  const ids = [...new Set(claims.map((claim) => claim.file_id))]
  const files = new Map((await filesById(cx.db, pkg.team_id, pkg.id, ids)).map((file) => [file.id, file]))
  const refusals = new Map<string, Refusal>()

  const attempt = async <Result>(fileId: string, work: () => Promise<Result>): Promise<Result | undefined> => {
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      refusals.set(fileId, error)
      return undefined
    }
  }

  const inSight = await objectsInSight(cx.blob, pkg, keysPutWhole(files.values()))
  const judged = await inTurns(claims, (claim) =>
    attempt(claim.file_id, () => {
      const file = files.get(claim.file_id)
      if (file === undefined) throw noSuchFile(pkg.id, claim.file_id)
      return judge(cx, file, claim, inSight)
    }),
  )
  const candidates = await admitted(cx, pkg, judged, refusals)
  const toJoin = candidates.filter((candidate) => candidate.joining !== undefined && candidate.stored === undefined)
  if (toJoin.length > 0) {
    const marked = await cx.db.transaction(async (tx) => {
      await lockOpenPackage(tx, pkg)
      return markCompleting(tx, pkg.team_id, pkg.id, toJoin.map(completionOf))
    })
    crashPoint('finalize-file.marked')
    await inTurns(
      toJoin.filter((candidate) => marked.has(candidate.file.id)),
      (candidate) => attempt(candidate.file.id, () => join(cx, candidate)),
    )
    crashPoint('finalize-file.completed')
  }

  const finished = candidates.filter((candidate) => !refusals.has(candidate.file.id))
  if (finished.length > 0) {
    await cx.db.transaction(async (tx) => {
      await lockOpenPackage(tx, pkg)
      const closed = await closeFiles(tx, pkg.team_id, pkg.id, finished.map(finishedOf))
      tx.announce(inspectionTopic)
      announceProgress(tx, pkg.team_id, pkg.id)
      for (const candidate of finished.filter(({ file }) => !closed.has(file.id))) {
        const refusal = await whyNotClosed(tx, candidate)
        if (refusal !== undefined) refusals.set(candidate.file.id, refusal)
      }
    })
    crashPoint('finalize-file.committed')
  }
  return claims.map((claim) => ({ fileId: claim.file_id, refusal: refusals.get(claim.file_id) }))
}

/** Those that the Portal of the package takes, by the bytes that storage has. */
async function admitted(
  cx: Needs,
  pkg: PackageRow,
  candidates: readonly Candidate[],
  refusals: Map<string, Refusal>,
): Promise<readonly Candidate[]> {
  if (pkg.portal_id === null || candidates.length === 0) return candidates
  const tooMuch = await cx.db.transaction(async (tx) =>
    admitRealSizes(tx, pkg, await lockOpenPackage(tx, pkg), candidates),
  )
  for (const [fileId, refusal] of tooMuch) refusals.set(fileId, refusal)
  return candidates.filter(({ file }) => !tooMuch.has(file.id))
}

/** A file that could not be closed was removed meanwhile, or another call closed it: with the same content, or not. */
async function whyNotClosed(tx: Tx, { file, digest }: Candidate): Promise<Refusal | undefined> {
  const now = await fileById(tx, file.team_id, file.package_id, file.id)
  if (now === undefined) return noSuchFile(file.package_id, file.id)
  return now.content_digest?.equals(digest) ? undefined : uploadMismatch(file, 'it was finalized with other content.')
}

async function lockOpenPackage(tx: Tx, pkg: PackageRow): Promise<LockedPackage> {
  const locked = await lockPackage(tx, pkg.team_id, pkg.id)
  if (locked === undefined) throw noSuchPackage(pkg.id)
  if (locked.state !== 'new') throw packageNotNew(pkg.id, locked.state)
  if (locked.stale) await noteActivity(tx, pkg.team_id, pkg.id)
  return locked
}

type InSight = ReadonlyMap<string, StoredObject>

const keysPutWhole = (files: Iterable<FileRow>): readonly string[] =>
  [...files]
    .filter(({ single_put, state }) => single_put && state !== 'finalized')
    .flatMap(({ object_key: key }) => key ?? [])

/** Holds a claim against the file and the store. Undefined when the file was closed with this same claim before. */
async function judge(cx: Needs, file: FileRow, claim: FileClaim, inSight: InSight): Promise<Candidate | undefined> {
  if (file.object_key === null) throw notChunked(file)
  if (file.size !== null && file.size !== claim.size) {
    throw uploadMismatch(
      file,
      `it was announced with ${file.size} bytes, now ${claim.size} are named. Remove it and add it again.`,
    )
  }
  return file.single_put
    ? judgeSinglePut(cx, file, file.object_key, claim, inSight.get(file.object_key))
    : judgeParts(cx, file, file.object_key, claim)
}

async function judgeSinglePut(
  cx: Needs,
  file: FileRow,
  key: string,
  claim: FileClaim,
  listed: StoredObject | undefined,
): Promise<Candidate | undefined> {
  const etag = claim.etag === undefined ? undefined : plainEtag(claim.etag)
  if (file.state === 'finalized') {
    if (etag === undefined || etag === file.expected_etag) return undefined
    throw uploadMismatch(file, 'it was finalized with other content.')
  }
  const isAsClaimed = listed?.size === claim.size && (etag ?? listed.etag) === listed.etag
  // A list may be behind; against a claim only the object itself counts.
  const stored = isAsClaimed ? listed : await cx.blob.head(key)
  if (stored === undefined) throw uploadMismatch(file, 'storage does not have it. Send its put_blueprint first.')
  if (stored.size !== claim.size)
    throw uploadMismatch(file, `storage has ${stored.size} bytes, ${claim.size} were named.`)
  if (etag !== undefined && etag !== stored.etag) throw uploadMismatch(file, 'storage has another etag. Send it again.')
  const digest = claimDigest('', claim.size, [{ partNumber: 1, etag: stored.etag }])
  return { file, key, claim, size: claim.size, digest, joining: undefined, stored }
}

async function judgeParts(cx: Needs, file: FileRow, key: string, claim: FileClaim): Promise<Candidate | undefined> {
  const uploadId = claim.file_extras?.upload_id
  if (uploadId === undefined) throw uploadMismatch(file, 'file_extras.upload_id is missing.')
  const parts = claimedParts(claim)
  const digest = claimDigest(uploadId, claim.size, parts)
  if (file.state === 'finalized') {
    if (file.content_digest?.equals(digest)) return undefined
    throw uploadMismatch(file, 'it was finalized with other content.')
  }
  if (file.upload_id !== null && file.upload_id !== uploadId) {
    throw uploadMismatch(file, 'its chunks belong to another upload_id.')
  }
  const candidate: Candidate = {
    file,
    key,
    claim,
    size: claim.size,
    digest,
    joining: { uploadId, parts, etag: joinedEtag(parts) },
    stored: undefined,
  }
  // An earlier call may have joined the parts and died before it could say so.
  if (file.state === 'completing') {
    const there = await joined(cx, candidate)
    if (there !== undefined) return { ...candidate, stored: there }
  }
  const stored = await cx.blob.listParts(key, uploadId)
  if (stored === undefined) {
    const there = await joined(cx, candidate)
    if (there !== undefined) return { ...candidate, stored: there }
    throw uploadMismatch(file, 'storage knows no such upload. Remove the file and add it again.')
  }
  const against = disagreement(parts, claim.size, stored)
  if (against !== undefined) throw uploadMismatch(file, against)
  return candidate
}

/** The joined object, if it is there and is the one that the claim describes. */
async function joined(cx: Needs, { key, size, joining }: Candidate): Promise<StoredObject | undefined> {
  const object = await cx.blob.head(key)
  if (object === undefined || object.size !== size) return undefined
  return joining?.etag === undefined || joining.etag === object.etag ? object : undefined
}

// Ceph answers 500 to a second Complete while the first is still at work; that takes it some hundred milliseconds.
const looks = 8
const betweenLooksMs = 250

/** After an unclear answer the object decides. Somebody else may be about to make it, so it is given a moment. */
async function joinedByNow(cx: Needs, candidate: Candidate): Promise<boolean> {
  for (let look = 1; look <= looks; look++) {
    if ((await joined(cx, candidate)) !== undefined) return true
    if (look < looks) await sleep(betweenLooksMs)
  }
  return false
}

async function join(cx: Needs, candidate: Candidate): Promise<void> {
  const { file, key, joining } = candidate
  if (joining === undefined) return
  try {
    const reply = await cx.blob.complete(key, joining.uploadId, joining.parts)
    if (reply.etag !== undefined && reply.etag === joining.etag) return
  } catch (error) {
    if (error instanceof StorageRefusal) {
      throw new Refusal('storage_refused', `'${file.name}': storage refused its parts: ${error.message}`, {
        cause: error,
      })
    }
    if (error instanceof UploadGone) {
      if ((await joined(cx, candidate)) !== undefined) return
      throw uploadMismatch(file, 'storage knows no such upload. Remove the file and add it again.')
    }
    if (await joinedByNow(cx, candidate)) return
    throw error
  }
  // Some stores answer the first time without an ETag: then the object itself has to be asked.
  if ((await joined(cx, candidate)) === undefined) {
    throw uploadMismatch(file, 'storage joined its parts into something else. Remove the file and add it again.')
  }
}

const completionOf = ({ file, size, digest, joining }: Candidate): Completion => ({
  id: file.id,
  uploadId: joining?.uploadId ?? null,
  expectedEtag: joining?.etag ?? null,
  size,
  contentDigest: digest,
})

const finishedOf = ({ file, claim, size, digest, joining, stored }: Candidate): FinishedFile => ({
  id: file.id,
  size,
  contentDigest: digest,
  etag: stored?.etag ?? joining?.etag ?? null,
  ...checksumsOf(claim),
})

/** Runs the work for each item, so many at once, and keeps what came of it. */
async function inTurns<Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Promise<Result | undefined>,
): Promise<Result[]> {
  const results: (Result | undefined)[] = []
  await inLanes(items.entries(), atOnce, async ([index, item]) => {
    results[index] = await work(item)
  })
  return results.filter((result) => result !== undefined)
}
