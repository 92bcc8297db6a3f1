/** One part as the store reports it. `etag` is without quotes. */
export interface StoredPart {
  readonly partNumber: number
  readonly etag: string
  readonly size: number
}

/** A finished object as the store reports it. `etag` is without quotes. */
export interface StoredObject {
  readonly etag: string
  readonly size: number
}

export interface OpenUpload {
  readonly key: string
  readonly uploadId: string
  readonly initiatedAt: Date
}

export interface ListedObject extends StoredObject {
  readonly key: string
  readonly modifiedAt: Date
}

export interface ByteRange {
  readonly start: number
  readonly end: number
}

/**
 * The object store as the rest of the server sees it.
 *
 * Every call has a time limit and fails with one of the errors in `storage-errors.ts`, never with the error of a
 * storage library: what callers decide on (gone, refused, in doubt) is decided here, once.
 */
export interface Blob {
  /** All parts in order, or undefined when the store knows no such upload (finished, aborted or never begun). */
  listParts(key: string, uploadId: string): Promise<readonly StoredPart[] | undefined>

  /**
   * Joins the parts into one object. Parts may come in any order.
   *
   * Throws `UploadGone` when the store says that there is no such upload, `StorageRefusal` when it names what is wrong
   * with the parts, and `StorageTrouble` whenever it is open whether the object now exists: then `head` decides.
   * Some stores answer the first time without an ETag, and some answer `UploadGone` to a repeat after success.
   */
  complete(
    key: string,
    uploadId: string,
    parts: readonly { readonly partNumber: number; readonly etag: string }[],
  ): Promise<{ readonly etag: string | undefined }>

  head(key: string): Promise<StoredObject | undefined>

  /**
   * The bytes of an object; `range.end` is the last byte wanted, as in HTTP. A piece is good until the next one is asked
   * for: whoever needs it longer makes a copy. Throws `ObjectGone` when there is none. The signal closes the connection
   * at once, also while nothing comes.
   */
  read(key: string, range?: ByteRange, signal?: AbortSignal): AsyncIterable<Uint8Array>

  /** Stores a small object of our own in one request. */
  write(key: string, body: Uint8Array): Promise<StoredObject>

  /** Forgets an unfinished upload and its parts. Harmless when the store knows none. */
  abort(key: string, uploadId: string): Promise<void>

  /** Every unfinished upload under a prefix, in the order of their keys. */
  openUploads(prefix: string): AsyncIterable<OpenUpload>

  /** Deletes any number of objects. Harmless for keys that do not exist; throws when a key could not be deleted. */
  remove(keys: readonly string[]): Promise<void>

  /** Objects under a prefix in the order of their keys, beginning behind `after`. */
  list(prefix: string, after?: string): AsyncIterable<ListedObject>

  /** Answers when the bucket can be reached with our keys, and throws otherwise. Cheap. */
  check(): Promise<void>
}

/** A request that somebody else may send as it stands: signed, for one object, for a while. */
export interface Blueprint {
  readonly url: string
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** What a part's blueprint depends on. `size` is undefined while the length of the file is not yet known. */
export interface FileInParts {
  readonly key: string
  readonly uploadId: string
  readonly chunkSize: number
  readonly size: number | undefined
}

/** Signed requests for clients. Nothing here talks to the store. */
export interface Blueprints {
  /** Begins an upload in parts. */
  createUpload(key: string): Blueprint

  /** Stores a whole file of exactly `size` bytes in one request. */
  put(key: string, size: number): Blueprint

  /**
   * One blueprint for each of `count` chunks from index `start` on; the part number is the index + 1. When the size of
   * the file is known, each is good for a body of exactly the chunk's length, and there are none past its end.
   */
  parts(file: FileInParts, start: number, count: number): Blueprint[]

  /** The same as one JSON array, ready to be sent: big files ask for a thousand at once. */
  partsJson(file: FileInParts, start: number, count: number): string

  /** A link that downloads the object under the given name, and never shows it inside a page. */
  download(key: string, options: { readonly fileName: string; readonly expiresInSeconds: number }): string
}
