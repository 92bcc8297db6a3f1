import { createClient } from '@longshore/client/client'
import { packageCalls } from '@longshore/client/package-calls'
import { createLanePool } from '@longshore/transfer/lane-pool'
import { uploadPackage } from '@longshore/transfer/upload-package'
import { clock, createSend, fileJournal, hasher, sourceFile } from '#engine-host'

/** A process that uploads, told everything by its first argument; its parent may kill it at any moment. */
export interface Errand {
  readonly url: string
  readonly packageId: string
  readonly token: string
  readonly journal: string
  readonly chunkSize: number
  readonly files: readonly { readonly path: string; readonly name: string }[]
}

/** What it says, one line each. */
export type Said = { readonly sent: number } | { readonly state: string; readonly sent: number }

const errand = JSON.parse(process.argv[2] ?? '') as Errand
let sent = 0
const say = (said: Said) => process.stdout.write(`${JSON.stringify(said)}\n`)
let told = 0

async function* files() {
  for (const [n, { path, name }] of errand.files.entries()) yield sourceFile(n, path, name, errand.chunkSize)
}

const outcome = await uploadPackage(
  {
    clock,
    chance: Math.random,
    lanes: createLanePool(clock, { least: 1, most: 4, first: 4 }),
    files: files(),
    calls: packageCalls(createClient({ baseUrl: errand.url }), errand.packageId, errand.token),
    send: createSend((bytes) => {
      sent += bytes
      if (sent - told < 1024 * 1024) return
      told = sent
      say({ sent })
    }),
    hasher,
    journal: fileJournal(errand.journal),
  },
  { finalize: true },
  new AbortController().signal,
)
say({ state: outcome.state, sent })
process.exit(outcome.state === 'complete' ? 0 : 1)
