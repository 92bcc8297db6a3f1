import { randomBytes } from 'node:crypto'
import type { Blob } from '#blob/port'
import { s3Blob } from '#blob/s3'
import { type Bench, setUpBench } from '#blob/self-test/bench'
import { copyingTricks } from '#blob/self-test/copying'
import { editedUrlTricks } from '#blob/self-test/edited-urls'
import type { Finding } from '#blob/self-test/finding'
import { identityTricks } from '#blob/self-test/identities'
import { publishingTricks } from '#blob/self-test/publishing'
import type { Trick } from '#blob/self-test/trick'
import { unsignedHeaderTricks } from '#blob/self-test/unsigned-headers'
import type { StorageConfig } from '#blob/storage-config'

export type { Finding, Verdict } from '#blob/self-test/finding'

const home = 'self-test/'
const tricks = [
  ...copyingTricks,
  ...publishingTricks,
  ...unsignedHeaderTricks,
  ...editedUrlTricks,
  ...identityTricks,
] as const

/**
 * Tries every trick we know against the public address of the configured store, with real requests, and says what it
 * found. Works on objects of its own and takes them away again.
 *
 * Throws `StorageTrouble` when the store cannot be reached, and `StorageRefusal` when even honest requests are refused:
 * then a refused trick would prove nothing.
 */
export async function selfTest(config: StorageConfig): Promise<Finding[]> {
  const prefix = `${home}${randomBytes(16).toString('hex')}/`
  const blob = s3Blob(config)
  await blob.check()
  try {
    const bench = await setUpBench(config, prefix)
    return await Promise.all(tricks.map((trick) => attempt(trick, bench)))
  } finally {
    await cleanUp(blob, prefix)
  }
}

async function attempt(tried: Trick, bench: Bench): Promise<Finding> {
  const { id, trick, remedy } = tried
  const outcome = await tried.attempt(bench)
  return outcome.verdict === 'open' ? { id, trick, ...outcome, remedy } : { id, trick, ...outcome }
}

async function cleanUp(blob: Blob, prefix: string): Promise<void> {
  for await (const { key, uploadId } of blob.openUploads(prefix)) await blob.abort(key, uploadId)

  // What an earlier test left behind when its process was killed goes as well.
  const longAgo = Date.now() - 3_600_000
  const keys: string[] = []
  for await (const { key, modifiedAt } of blob.list(home)) {
    if (key.startsWith(prefix) || modifiedAt.getTime() < longAgo) keys.push(key)
  }
  await blob.remove(keys)
}
