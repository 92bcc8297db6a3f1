import { mkdtemp, rm, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { MiB } from '@longshore/contract/limits'
import { clock } from '../../../apps/agent/src/host/clock.ts'
import { createDisks } from '../../../apps/agent/src/host/disks.ts'
import { createHasher } from '../../../apps/agent/src/host/hasher.ts'
import { createNetwork } from '../../../apps/agent/src/host/network.ts'
import { createSend } from '../../../apps/agent/src/host/send.ts'
import { sourceFile } from '../../../apps/agent/src/host/source-file.ts'
import { findSources } from '../../../apps/agent/src/host/sources.ts'

/** Sends to the address in its first argument by one interface, then by all, and says the seconds of each as JSON. */

const url = process.argv[2] ?? ''
const chunk = 2 * MiB
const chunks = 30
const lanes = 8

const folder = await mkdtemp(join(tmpdir(), 'longshore-interfaces-'))
const path = join(folder, 'source')
await writeFile(path, '')
await truncate(path, chunk)
const found = (await Array.fromAsync(findSources([path]))).flatMap((one) =>
  one.kind === 'source' ? [one.source] : [],
)[0]
if (found === undefined) throw new Error('There is nothing to send.')
const source = await sourceFile(0, found).open()

const network = createNetwork({ clock })
const hasher = createHasher()
const rules = { priority: 'mixed_read_writes', maxReaders: lanes, maxWriters: lanes } as const
const send = createSend({ network, hasher, disks: createDisks({ idOf: async () => 'disk', rulesFor: () => rules }) })
const request = { url, method: 'PUT' as const, headers: {}, body: '' }
const motion = {
  signal: new AbortController().signal,
  pace: () => undefined,
  waiting: <Result>(wait: Promise<Result>) => wait,
  moved: () => {},
}

async function seconds(): Promise<number> {
  const begin = performance.now()
  let left = chunks
  const lane = async () => {
    while (left-- > 0) await send(request, { source, start: 0, end: chunk, checksums: false }, motion)
  }
  await Promise.all(Array.from({ length: lanes }, lane))
  return (performance.now() - begin) / 1000
}

network.setMulticonnect(true)
const [first, ...others] = network.interfaces()
for (const { id } of others) network.enable(id, false)
const one = await seconds()
for (const { id } of others) network.enable(id, true)
const all = await seconds()
process.stdout.write(`${JSON.stringify({ interfaces: others.length + (first === undefined ? 0 : 1), one, all })}\n`)

await source.close()
network.close()
await hasher.close()
await rm(folder, { recursive: true })
