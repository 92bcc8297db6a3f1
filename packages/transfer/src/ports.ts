import type { InputOf, ReplyOf } from '@longshore/contract/endpoint'
import type {
  addFiles,
  chunkRequests,
  fileUrls,
  finalizeFiles,
  listChunks,
  listFiles,
} from '@longshore/contract/cloud/files'

/**
 * What a host lends the engine. The engine decides; bytes never pass through it: a host reads from its disk straight
 * into its socket and back, with buffers of its own. Every call that takes a signal must end soon after its abort.
 */

export interface Clock {
  /** Milliseconds. Only differences count. */
  readonly now: () => number
  /** Acts once after so long. Answers how to call it off. */
  readonly after: (ms: number, act: () => void) => () => void
}

/** A number from 0 up to, but not including, 1. */
export type Chance = () => number

/** What a note must outlive: a program that is killed, or a machine that loses its power. */
export type Outlives = 'program' | 'machine'

/** Durable notes of one transfer, in the order they were made. */
export interface Journal<Note> {
  /** Resolves once the notes would survive that. All of them are kept, or none. */
  readonly append: (notes: readonly Note[], outlive: Outlives) => Promise<void>
  readonly load: () => AsyncIterable<Note>
}

export interface Checksums {
  readonly sha256: string
  readonly crc32: string
}

/** Reads on its own, best in a thread of its own, and behind those who move the bytes, so that the cache has them. */
export interface Hasher {
  /** Where `only` one checksum is wanted, the other is left empty. */
  readonly begin: (of: OpenSource | PartFile, only?: 'sha256') => Digest
}

export interface Digest {
  /** The bytes before `end` may be read now. */
  readonly advance: (end: number) => void
  /** The checksums of all bytes up to the last `advance`. */
  readonly finish: () => Promise<Checksums>
  /** Ends the reading; called once, also after `finish`. */
  readonly drop: () => void
}

// Up

export type Blueprint = ReplyOf<typeof chunkRequests>[number]
export type NewFile = InputOf<typeof addFiles>['body']['files'][number]
export type AddedFile = ReplyOf<typeof addFiles>['files'][number]
export type Claim = InputOf<typeof finalizeFiles>['body']['files'][number]
export type FinalizeResult = ReplyOf<typeof finalizeFiles>['results'][number]
export type StoredChunks = ReplyOf<typeof listChunks>
export type ListedFile = ReplyOf<typeof listFiles>[number]

/** What a file is at one moment. */
export interface Look {
  readonly size: number
  /** ISO 8601, UTC. */
  readonly lastModified: string
  /** Differs whenever the content may differ: device, inode, size and time of change, in any text. */
  readonly identity: string
}

/** An entry to be sent. */
export interface SourceFile extends Look {
  /** Its number in this transfer: small, and the same in every run. */
  readonly n: number
  readonly kind: 'file' | 'directory'
  readonly name: string
  /** Folder inside the package, `/` between components, empty for the root. */
  readonly path: string
  readonly chunkSize?: number
  /** Of a file that is still being written. Its identity must not change while it grows. */
  readonly growth?: Growth
  /** Throws `HostFault` where the file is gone or cannot be read. */
  readonly open: () => Promise<OpenSource>
}

export interface Growth {
  /** Chunks are cut for a file of this size. One that outgrows it is begun anew, in larger ones. */
  readonly plannedSize: number
  /** Resolves once more than `known` bytes are there to stay, or nothing more will come. Throws `HostFault`. */
  readonly beyond: (known: number, signal: AbortSignal) => Promise<{ readonly stable: number; readonly over: boolean }>
}

/** A file open for reading. What is in it is between the host and its own `send` and `hasher`. */
export interface OpenSource extends Look {
  /** Looks at the path again, not at the handle: a file that was replaced is another one. */
  readonly look: () => Promise<Look>
  readonly close: () => Promise<void>
}

/** A stretch of a source that is to be the body of a request. */
export interface Body {
  readonly source: OpenSource
  readonly start: number
  readonly end: number
  /** True where checksums of the bytes as they were sent are wanted in the answer. */
  readonly checksums: boolean
}

export interface Motion {
  readonly signal: AbortSignal
  /** To be asked before bytes go over the wire, and waited for where it answers a promise. */
  readonly pace: (bytes: number) => Promise<void> | undefined
  /** To be put around waits of the host's own, such as for a turn on the disk: they are not silence of the line. */
  readonly waiting: <Result>(wait: Promise<Result>) => Promise<Result>
  /** To be told of bytes that went over the wire. */
  readonly moved: (bytes: number) => void
}

export interface StorageReply {
  readonly status: number
  readonly etag?: string | undefined
  /** The body of the answer, or its first kilobytes. */
  readonly text: string
  readonly retryAfterMs?: number | undefined
  readonly checksums?: Checksums | undefined
}

/**
 * Sends a signed request to storage as it is. Answers whatever storage answers; throws where there was no answer.
 * A source that cannot be read, or ends too early, is a `HostFault`.
 */
export type Send = (request: Blueprint, body: Body | undefined, motion: Motion) => Promise<StorageReply>

/** Calls of the cloud for one open package. A refusal is thrown with `status`, `error` and `retryAfter` (seconds). */
export interface UploadCalls {
  readonly addFiles: (files: readonly NewFile[], idempotencyKey: string, signal: AbortSignal) => Promise<AddedFile[]>
  readonly chunkRequests: (
    fileId: string,
    wanted: { readonly uploadId: string; readonly start: number; readonly count: number },
    signal: AbortSignal,
  ) => Promise<Blueprint[]>
  readonly finalizeFiles: (claims: readonly Claim[], signal: AbortSignal) => Promise<FinalizeResult[]>
  readonly listChunks: (fileId: string, signal: AbortSignal) => Promise<StoredChunks>
  readonly removeFile: (fileId: string, signal: AbortSignal) => Promise<void>
  readonly listFiles: (signal: AbortSignal) => Promise<ListedFile[]>
  readonly finalizePackage: (signal: AbortSignal) => Promise<void>
}

// Down

/** A file to be fetched. Where it goes, and what happens when something is there already, is the host's affair. */
export interface WantedFile {
  /** Its number in this transfer: small, and the same in every run. */
  readonly n: number
  readonly id: string
  readonly size: number
  /** From the waybill, lower-case hex; without it only the length can be checked. */
  readonly sha256?: string | undefined
  /** What the disk has of it. `finished` is a file that `commit` of an earlier run made, not any file of that name. */
  readonly found: () => Promise<'nothing' | 'part' | 'finished'>
  /** Opens the part file, made where it is missing. Throws `HostFault` where the destination does not take it. */
  readonly open: () => Promise<PartFile>
}

/** The hidden file that a download is written to. */
export interface PartFile {
  /** Resolves once what was written would survive a crash of the machine. */
  readonly sync: () => Promise<void>
  /** Makes everything but the name as it shall be, so that it would survive a crash of the machine. */
  readonly seal: () => Promise<void>
  /** Gives what was sealed its name. Afterwards there is no part file any more. */
  readonly commit: () => Promise<void>
  /** Throws away what was written, to begin anew. */
  readonly empty: () => Promise<void>
  readonly close: () => Promise<void>
}

export interface Stretch {
  readonly url: string
  readonly start: number
  readonly end: number
  /** Of the whole file: a host may leave out the range of a request for all of it. */
  readonly size: number
}

/**
 * Fetches bytes and writes them to the part file at their place. Calls `moved` once bytes are written, in order from
 * `start`. Answers the status and, for a refusal, its text; throws where the connection broke. A disk that is full is a
 * `HostFault`. An answer 200 to a request for a part must not be written.
 */
export type Receive = (stretch: Stretch, into: PartFile, motion: Motion) => Promise<StorageReply>

export type FileUrl = ReplyOf<typeof fileUrls>['results'][number]

export interface DownloadCalls {
  readonly fileUrls: (fileIds: readonly string[], signal: AbortSignal) => Promise<readonly FileUrl[]>
}
