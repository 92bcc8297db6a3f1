import { globSync } from 'node:fs'
import { mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ask } from '#ask'
import { cephConfiguration } from '#ceph-configuration'
import type { Engine } from '#engine'
import { engineFolder, type Home } from '#home'
import { launch } from '#processes'
import { run } from '#run'
import { writePrivately } from '#write-privately'

export const cephMon: Engine = {
  name: 'ceph-mon',
  ports: (home) => [home.ports.mon],
  stopSignal: 'SIGTERM',
  start: startMon,
  serves: async (home) => (await health(home, 'ceph-mon', 'mon_status'))?.state === 'leader',
}

export const cephOsd: Engine = {
  name: 'ceph-osd',
  // It takes the first free ones of its range by itself.
  ports: () => [],
  stopSignal: 'SIGTERM',
  start: startOsd,
  serves: async (home) => (await health(home, 'ceph-osd', 'status'))?.state === 'active',
}

export const radosgw: Engine = {
  name: 'radosgw',
  ports: (home) => [home.ports.radosgw],
  stopSignal: 'SIGTERM',
  start: startGateway,
  serves: gatewayServes,
}

export const gatewayUrl = (home: Home): string => `http://127.0.0.1:${home.ports.radosgw}`

/** Runs one of Ceph's tools against this cluster and answers what it printed. */
export const cephTool = (home: Home, file: string, ...args: readonly string[]): Promise<string> =>
  run({ file, args: ['-c', configurationFile(home), ...args], cwd: home.data })

const configurationFile = (home: Home) => join(home.data, 'ceph.conf')

async function startMon(home: Home): Promise<void> {
  // Written once: the cluster's id and the mon's address are part of its data.
  const configuration = configurationFile(home)
  if (!(await exists(configuration))) await writePrivately(configuration, cephConfiguration(home))
  const folder = engineFolder(home, 'ceph-mon')
  const made = join(folder, 'made')
  if (!(await exists(made))) {
    const store = join(folder, 'store')
    const map = join(folder, 'monmap')
    await rm(store, { recursive: true, force: true })
    await mkdir(store)
    const fsid = /^fsid = (.+)$/m.exec(await readFile(configuration, 'utf8'))?.[1] ?? ''
    const address = `[v2:127.0.0.1:${home.ports.mon}/0]`
    await cephTool(home, 'monmaptool', '--create', '--fsid', fsid, '--addv', 'a', address, '--clobber', map)
    await cephTool(home, 'ceph-mon', '-i', 'a', '--mkfs', '--monmap', map, '--keyring', '/dev/null')
    await writeFile(made, '')
  }
  await launchCeph(home, 'ceph-mon', ['-i', 'a'])
}

async function startOsd(home: Home): Promise<void> {
  const folder = engineFolder(home, 'ceph-osd')
  const made = join(folder, 'made')
  if (!(await exists(made))) {
    const store = join(folder, 'store')
    const uuid = await osdUuid(folder)
    const id = (await cephTool(home, 'ceph', '--connect-timeout', '20', 'osd', 'new', uuid)).trim()
    if (id !== '0') throw new Error(`Ceph gave the storage process the id '${id}'; the first one must be 0.`)
    await rm(store, { recursive: true, force: true })
    await mkdir(store)
    await cephTool(home, 'ceph-osd', '-i', '0', '--mkfs', '--osd-uuid', uuid)
    await writeFile(made, '')
  }
  await launchCeph(home, 'ceph-osd', ['-i', '0'])
}

/** Asking for a new OSD twice with the same uuid gives the same OSD, so the uuid is kept before it is used. */
async function osdUuid(folder: string): Promise<string> {
  const file = join(folder, 'uuid')
  if (!(await exists(file))) await writePrivately(file, crypto.randomUUID())
  return readFile(file, 'utf8')
}

async function startGateway(home: Home): Promise<void> {
  const frontend = `beast endpoint=127.0.0.1:${home.ports.radosgw} tcp_nodelay=1`
  await launchCeph(home, 'radosgw', ['-n', 'client.rgw.0', '--rgw-frontends', frontend])
}

const launchCeph = (home: Home, name: string, args: readonly string[]): Promise<void> =>
  launch(home, name, {
    file: name,
    args: ['-f', '-c', configurationFile(home), ...args],
    cwd: engineFolder(home, name),
    env: allocator(),
  })

/** Debian builds Ceph on glibc's malloc: without this a third of the OSD's time goes into mapping 4 MiB buffers. */
function allocator(): Record<string, string> {
  const library = globSync('/usr/lib/*/libtcmalloc_minimal.so.4')[0]
  return library === undefined ? {} : { LD_PRELOAD: library }
}

/** Asks a daemon through its admin socket; the answer is four bytes of length and then JSON. */
async function health(home: Home, name: string, prefix: string): Promise<{ state?: string } | undefined> {
  const path = join(engineFolder(home, name), `${name}.asok`)
  const complete = (answer: string) =>
    answer.length > 4 && answer.length >= 4 + Buffer.from(answer, 'latin1').readUInt32BE()
  const answer = await ask({ path }, `${JSON.stringify({ prefix })}\0`, complete)
  // A daemon that has just begun does not know its commands yet and answers with a sentence.
  return answer.startsWith('{', 4) ? JSON.parse(answer.slice(4)) : undefined
}

async function gatewayServes(home: Home): Promise<boolean> {
  const answer = await fetch(gatewayUrl(home), { signal: AbortSignal.timeout(5000) }).catch(() => undefined)
  return answer?.status === 200 && (await answer.text()).includes('ListAllMyBucketsResult')
}

const exists = (path: string) =>
  stat(path).then(
    () => true,
    () => false,
  )
