import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { writePrivately } from '#write-privately'

export type S3Keys = { readonly access_key: string; readonly secret_key: string }

/** The three that a server works with, and somebody else with buckets of their own, for cloud connections. */
export const s3Users = ['upload', 'read', 'janitor', 'customer'] as const
export type S3User = (typeof s3Users)[number]

/** What is settled once, when a stack is made: its ports, its disk and its secrets. */
export type Identity = {
  readonly id: string
  readonly port_base: number
  readonly osd_bytes: number
  readonly postgres_password: string
  readonly redis_password: string
  readonly s3: Readonly<Record<S3User, S3Keys>>
}

const file = (data: string) => join(data, 'identity.json')
const secret = () => randomBytes(24).toString('hex')
const s3Keys = (): S3Keys => ({ access_key: randomBytes(10).toString('hex').toUpperCase(), secret_key: secret() })

// A sparse file: it takes only what is stored in it.
const defaultOsdBytes = 40 * 2 ** 30

export async function readIdentity(data: string): Promise<Identity | undefined> {
  try {
    const identity = JSON.parse(await readFile(file(data), 'utf8')) as Identity
    // Stacks that were made before there was a customer.
    return identity.s3.customer === undefined ? await withCustomer(data, identity) : identity
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

async function withCustomer(data: string, identity: Identity): Promise<Identity> {
  const completed = { ...identity, s3: { ...identity.s3, customer: s3Keys() } }
  await writePrivately(file(data), `${JSON.stringify(completed, undefined, 2)}\n`)
  return completed
}

export async function createIdentity(data: string, portBase: number, osdBytes = defaultOsdBytes): Promise<Identity> {
  const identity: Identity = {
    id: randomBytes(8).toString('hex'),
    port_base: portBase,
    osd_bytes: osdBytes,
    postgres_password: secret(),
    redis_password: secret(),
    s3: { upload: s3Keys(), read: s3Keys(), janitor: s3Keys(), customer: s3Keys() },
  }
  await writePrivately(file(data), `${JSON.stringify(identity, undefined, 2)}\n`)
  return identity
}
