import { ListBucketsCommand } from '@aws-sdk/client-s3'
import { s3Client } from '#bucket'
import { cephTool, gatewayUrl } from '#ceph'
import type { Home } from '#home'
import { type S3User, s3Users } from '#identity'

/** Makes the storage users that are not there yet. */
export async function makeStorageUsers(home: Home): Promise<void> {
  const missing = await Promise.all(s3Users.map(async (user) => ((await isKnown(home, user)) ? [] : [user])))
  await Promise.all(missing.flat().map((user) => makeUser(home, user)))
}

async function makeUser(home: Home, user: S3User): Promise<void> {
  const { access_key, secret_key } = home.identity.s3[user]
  // Only who owns buckets may make some: 0 is "no limit", -1 is "none".
  const buckets = user === 'janitor' || user === 'customer' ? 0 : -1
  const choices = [`--uid=${user}`, `--display-name=${user}`, `--max-buckets=${buckets}`]
  const keys = [`--access-key=${access_key}`, `--secret-key=${secret_key}`]
  await cephTool(home, 'radosgw-admin', 'user', 'create', ...choices, ...keys)
}

/** Asking the gateway takes milliseconds; radosgw-admin takes most of a second to connect to the cluster. */
async function isKnown(home: Home, user: S3User): Promise<boolean> {
  const client = s3Client(gatewayUrl(home), home.identity.s3[user])
  try {
    await client.send(new ListBucketsCommand())
    return true
  } catch (error) {
    if ((error as Error).name === 'InvalidAccessKeyId') return false
    throw error
  } finally {
    client.destroy()
  }
}
