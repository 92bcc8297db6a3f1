export interface StorageIdentity {
  readonly accessKey: string
  readonly secretKey: string
}

/** One bucket in one store, and the three identities we use it with. */
export interface StorageConfig {
  /** Where the server itself reaches the store, e.g. http://10.0.0.5:7480. */
  readonly endpoint: string
  /** Where clients reach it: signed into every URL we hand out, so it must be exactly what they will call. */
  readonly publicEndpoint: string
  readonly region: string
  readonly bucket: string
  /** true: https://store/bucket/key; false: https://bucket.store/key. */
  readonly forcePathStyle: boolean
  /** May put objects and parts and begin uploads; may not read, list or delete. */
  readonly upload: StorageIdentity
  /** May read objects and nothing else. */
  readonly read: StorageIdentity
  /** Everything that the server does by itself. Never signs a URL for anybody else. */
  readonly janitor: StorageIdentity
}
