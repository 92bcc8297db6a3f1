import type { AddedFile, Blueprint, Claim, FileUrl, FinalizeResult, ListedFile, NewFile, StoredChunks } from '#ports'
import { chunkCount } from '@longshore/contract/limits'
import { digestOf } from './bytes.ts'
import type { SimStore } from './store.ts'

/** A refusal as our client throws it. */
export class SimRefusal extends Error {
  readonly status: number
  readonly error: string
  readonly retryAfter: number | undefined

  constructor(status: number, error: string, retryAfter?: number) {
    super(error)
    this.status = status
    this.error = error
    this.retryAfter = retryAfter
  }
}

interface CloudFile {
  readonly id: string
  readonly added: NewFile
  readonly key: string
  readonly chunkSize: number
  readonly single: boolean
  uploadId: string | undefined
  /** What its parts were joined for, and what it was finalized with. */
  joinedFor: string | undefined
  claim: string | undefined
  checksums: Claim['checksums']
}

interface Settings {
  readonly chunkSize: number
  readonly addressLifeMs: number
  /** A file of this name is refused, as a Portal refuses types. */
  readonly refusedName: string
  /** True now and then: the server dies after it has joined the parts of a file, before it has noted that. */
  readonly diesAfterJoining: () => boolean
}

/** One open package of the simulated cloud: the rules of the server, without its crashes. */
export interface SimCloud {
  readonly addFiles: (files: readonly NewFile[], key: string) => AddedFile[]
  readonly chunkRequests: (id: string, wanted: { uploadId: string; start: number; count: number }) => Blueprint[]
  readonly finalizeFiles: (claims: readonly Claim[]) => FinalizeResult[]
  readonly listChunks: (id: string) => StoredChunks
  readonly removeFile: (id: string) => void
  readonly listFiles: () => ListedFile[]
  readonly finalizePackage: () => void
  readonly fileUrls: (ids: readonly string[]) => FileUrl[]
  /** Time passes, and with it the memory for idempotency keys. */
  readonly forget: () => void
  readonly files: ReadonlyMap<string, CloudFile>
  readonly finalized: () => boolean
}

export function createCloud(store: SimStore, now: () => number, settings: Settings): SimCloud {
  const files = new Map<string, CloudFile>()
  const replies = new Map<string, { readonly request: string; readonly reply: AddedFile[] }>()
  let made = 0
  let finalized = false

  const until = () => now() + settings.addressLifeMs
  const fileOf = (id: string): CloudFile => {
    if (finalized) throw new SimRefusal(409, 'package_not_new')
    const file = files.get(id)
    if (file === undefined) throw new SimRefusal(404, 'file_not_found')
    return file
  }
  const placeOf = ({ path, name }: { path: string; name: string }) => `${path}/${name}`

  const addOne = (added: NewFile): AddedFile => {
    const id = `file-${made++}`
    const chunkSize = settings.chunkSize
    const single = added.kind === 'file' && added.size !== undefined && added.size <= chunkSize
    const file: CloudFile = {
      id,
      added,
      key: `key-${id}`,
      chunkSize,
      single,
      uploadId: undefined,
      joinedFor: undefined,
      claim: added.kind === 'directory' ? 'directory' : undefined,
      checksums: undefined,
    }
    files.set(id, file)
    return {
      file: { id, chunk_size: chunkSize } as AddedFile['file'],
      put_blueprint: single ? store.sign({ act: 'put', key: file.key, size: added.size ?? 0 }, until()) : null,
      create_blueprint:
        single || added.kind === 'directory' ? null : store.sign({ act: 'create', key: file.key }, until()),
      min_chunk_size: 1,
      max_chunk_size: 1,
      max_chunk_count: 1,
    }
  }

  const addFiles = (given: readonly NewFile[], key: string): AddedFile[] => {
    if (finalized) throw new SimRefusal(409, 'package_not_new')
    const request = JSON.stringify(given)
    const before = replies.get(key)
    if (before !== undefined) {
      if (before.request !== request) throw new SimRefusal(409, 'idempotency_conflict')
      return before.reply
    }
    const taken = new Set([...files.values()].map(({ added }) => placeOf(added)))
    if (given.some((file) => taken.has(placeOf(file)))) throw new SimRefusal(409, 'duplicate_path')
    if (given.some((file) => file.name === settings.refusedName)) throw new SimRefusal(422, 'file_type_refused')
    const reply = given.map(addOne)
    replies.set(key, { request, reply })
    return reply
  }

  const mismatch = () => new SimRefusal(409, 'upload_mismatch')

  const finalizeOne = (claim: Claim): void => {
    const file = fileOf(claim.file_id)
    const { claim: before, added } = file
    if (added.size !== undefined && claim.size !== added.size) throw mismatch()
    if (file.single) {
      const object = store.objects.get(file.key)
      if (object === undefined || object.length !== claim.size) throw mismatch()
      if (claim.etag !== undefined && claim.etag !== digestOf(object)) throw mismatch()
      file.claim = digestOf(object)
    } else {
      const content = JSON.stringify([claim.file_extras?.upload_id, claim.chunk_extras, claim.size])
      if (before === content) return
      if (before !== undefined) throw mismatch()
      if (file.joinedFor !== content) joinParts(file, claim)
      file.joinedFor = content
      if (settings.diesAfterJoining()) throw new SimRefusal(503, 'storage_unavailable')
      file.claim = content
    }
    file.checksums ??= claim.checksums
  }

  const joinParts = (file: CloudFile, claim: Claim): void => {
    const uploadId = claim.file_extras?.upload_id
    if (uploadId === undefined || uploadId !== file.uploadId) throw mismatch()
    const parts = store.partsOf(uploadId)
    if (parts === undefined) throw mismatch()
    const claimed = claim.chunk_extras ?? []
    if (claimed.length !== chunkCount(claim.size, file.chunkSize) || parts.size !== claimed.length) throw mismatch()
    for (const [index, { part_number: number, etag }] of claimed.entries()) {
      const part = parts.get(Number(number))
      if (part === undefined || Number(number) !== index + 1 || digestOf(part) !== etag) throw mismatch()
    }
    store.join(uploadId)
  }

  const chunkRequests: SimCloud['chunkRequests'] = (id, { uploadId, start, count }) => {
    const file = fileOf(id)
    if (file.single) throw new SimRefusal(409, 'file_not_chunked')
    if (file.claim !== undefined) throw new SimRefusal(409, 'file_finalized')
    file.uploadId ??= uploadId
    if (file.uploadId !== uploadId) throw mismatch()
    const { size } = file.added
    return Array.from({ length: count }, (_, offset) => {
      const from = (start + offset) * file.chunkSize
      if (size !== undefined && from >= size) throw new SimRefusal(422, 'validation_failed')
      const bytes = size === undefined ? undefined : Math.min(file.chunkSize, size - from)
      return store.sign({ act: 'part', key: file.key, uploadId, part: start + offset + 1, size: bytes }, until())
    })
  }

  const listChunks = (id: string): StoredChunks => {
    const file = fileOf(id)
    const object = file.single ? store.objects.get(file.key) : undefined
    const parts = object === undefined ? store.partsOf(file.uploadId ?? '') : new Map([[1, object]])
    return {
      upload_id: file.uploadId ?? '',
      chunk_size: file.chunkSize,
      chunks: [...(parts ?? [])].map(([number, bytes]) => ({
        part_number: number,
        etag: digestOf(bytes),
        size: bytes.length,
      })),
    }
  }

  return {
    files,
    finalized: () => finalized,
    forget: () => replies.clear(),
    addFiles,
    chunkRequests,
    listChunks,
    finalizeFiles: (claims) =>
      claims.map((claim) => {
        try {
          finalizeOne(claim)
          return { file_id: claim.file_id, status: 204 }
        } catch (refused) {
          if (!(refused instanceof SimRefusal)) throw refused
          return { file_id: claim.file_id, status: refused.status, error: refused.error, message: refused.error }
        }
      }),
    removeFile: (id) => {
      const file = fileOf(id)
      files.delete(id)
      store.objects.delete(file.key)
    },
    listFiles: () =>
      [...files.values()].map(
        ({ id, added, claim }) =>
          ({
            id,
            kind: added.kind,
            name: added.name,
            path: added.path,
            state: claim === undefined ? 'uploading' : 'finalized',
          }) as ListedFile,
      ),
    finalizePackage: () => {
      if (finalized) return
      if ([...files.values()].some(({ claim }) => claim === undefined)) throw new SimRefusal(409, 'files_unfinished')
      finalized = true
    },
    fileUrls: (ids) =>
      ids.map((id) => {
        const file = files.get(id)
        if (file === undefined) return { file_id: id, status: 404, error: 'file_not_found' }
        return { file_id: id, status: 200, url: store.sign({ act: 'get', key: file.key }, until()).url }
      }),
  }
}
