/** The store knows no such upload: it was completed, aborted, swept, or never begun. */
export class UploadGone extends Error {
  override readonly name = 'UploadGone'
}

/** There is no object under this key. */
export class ObjectGone extends Error {
  override readonly name = 'ObjectGone'
}

/** The object under this key is no longer the one that was asked for. */
export class ObjectChanged extends Error {
  override readonly name = 'ObjectChanged'
}

/** The store understood and said no; asking again the same way brings the same answer. Nothing was changed. */
export class StorageRefusal extends Error {
  override readonly name = 'StorageRefusal'
  /** As the store names it: InvalidPart, EntityTooSmall, AccessDenied, QuotaExceeded ... */
  readonly code: string

  constructor(code: string, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}

/** No usable answer (unreachable, timeout, reset, 5xx, an error inside a 200). Whether it happened is open. */
export class StorageTrouble extends Error {
  override readonly name = 'StorageTrouble'
}
