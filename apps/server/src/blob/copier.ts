import { CopyObjectCommand, UploadPartCopyCommand } from '@aws-sdk/client-s3'
import { unquoted } from '#blob/multipart'
import type { ByteRange } from '#blob/port'
import { completeTimeout, singleShotClient } from '#blob/s3-client'
import { judge } from '#blob/s3-faults'
import { encode } from '#blob/sigv4'
import type { StorageConfig } from '#blob/storage-config'

/** A place in a bucket of somebody else, in our own store. */
export interface Destination {
  readonly bucket: string
  readonly key: string
}

/** An object in a bucket of somebody else, in our own store. */
export interface Origin extends Destination {
  readonly etag: string
}

/**
 * Lets our own store copy our objects into other buckets of it, and theirs into ours. Not a byte comes by here.
 *
 * Signed with our own identity, which may be allowed more than whoever asked for the copy: callers must have seen that
 * these may write to, or read from, the very same place themselves.
 */
export interface Copier {
  /** Whether an address is that of our own store: the only place that our requests are signed for. */
  isOurStore(endpoint: string): boolean
  /** At most 5 GiB. The owner of the bucket gets every right to the copy. */
  copyObject(key: string, to: Destination, signal: AbortSignal): Promise<void>
  /** The other way, and of that very object alone: `ObjectChanged` when there is another by now. At most 5 GiB. */
  fetchObject(from: Origin, key: string, signal: AbortSignal): Promise<void>
  /** Answers the part's ETag. */
  copyPart(
    from: { readonly key: string; readonly range: ByteRange },
    to: Destination & { readonly uploadId: string; readonly partNumber: number },
    signal: AbortSignal,
  ): Promise<string>
}

export function copier(config: StorageConfig): Copier {
  const client = singleShotClient(config)
  const ours = new Set([config.endpoint, config.publicEndpoint].map((address) => new URL(address).origin))
  const within = (signal: AbortSignal) => ({
    abortSignal: AbortSignal.any([signal, AbortSignal.timeout(completeTimeout)]),
  })
  const sourceOf = (key: string) => `${config.bucket}/${key}`
  return {
    isOurStore: (endpoint) => ours.has(new URL(endpoint).origin),

    async copyObject(key, to, signal) {
      const command = new CopyObjectCommand({
        Bucket: to.bucket,
        Key: to.key,
        CopySource: sourceOf(key),
        // Otherwise it would be ours, and the owner of the bucket could not even read it.
        ACL: 'bucket-owner-full-control',
      })
      await client.send(command, within(signal)).catch((error: unknown) => {
        throw judge(error, `Copy ${key}`)
      })
    },

    async fetchObject(from, key, signal) {
      const command = new CopyObjectCommand({
        Bucket: config.bucket,
        Key: key,
        CopySource: `${from.bucket}/${from.key.split('/').map(encode).join('/')}`,
        CopySourceIfMatch: `"${from.etag}"`,
        // What they say of an object, how it is encoded among it, is not to come along: bytes alone are ours.
        MetadataDirective: 'REPLACE',
      })
      await client.send(command, within(signal)).catch((error: unknown) => {
        throw judge(error, `Fetch ${key}`)
      })
    },

    async copyPart({ key, range }, to, signal) {
      const command = new UploadPartCopyCommand({
        Bucket: to.bucket,
        Key: to.key,
        UploadId: to.uploadId,
        PartNumber: to.partNumber,
        CopySource: sourceOf(key),
        CopySourceRange: `bytes=${range.start}-${range.end}`,
      })
      try {
        const { CopyPartResult } = await client.send(command, within(signal))
        return unquoted(CopyPartResult?.ETag) ?? ''
      } catch (error) {
        throw judge(error, `Copy part ${to.partNumber} of ${key}`)
      }
    },
  }
}
