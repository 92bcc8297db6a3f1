import { chmod, mkdir, readdir, realpath } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createIdentity, type Identity, readIdentity } from '#identity'
import { defaultPortBase, type Ports, portsFrom } from '#ports'

/** One stack on this machine: where it lives, on which ports, with which secrets. */
export type Home = {
  readonly data: string
  readonly ports: Ports
  readonly identity: Identity
}

const defaultData = fileURLToPath(new URL('../../../.stack', import.meta.url))

export const dataFolder = (data: string | undefined): string => resolve(data ?? defaultData)

/** The folder of one engine: its data, its configuration, its log and its pid file. */
export const engineFolder = (home: Home, engine: string): string => join(home.data, engine)

/** Opens the stack in this folder, or answers undefined when there is none. */
export async function findHome(data: string): Promise<Home | undefined> {
  const identity = await readIdentity(data)
  if (identity === undefined) return undefined
  return { data: await realpath(data), ports: portsFrom(identity.port_base), identity }
}

/** Opens the stack in this folder and makes it on the first call. Ports and disk size stay as they were first chosen. */
export async function openHome(
  data: string,
  wanted: { readonly portBase?: number | undefined; readonly osdBytes?: number | undefined },
): Promise<Home> {
  const found = await findHome(data)
  if (found === undefined) return makeHome(data, wanted.portBase ?? defaultPortBase, wanted.osdBytes)

  const made = found.identity.port_base
  if (wanted.portBase !== undefined && wanted.portBase !== made) {
    throw new Error(
      `The stack in ${data} was made with port base ${made}, and its storage cluster keeps its addresses. ` +
        `Leave out --port-base, choose another --data, or delete it with 'reset --port-base ${wanted.portBase}'.`,
    )
  }
  return found
}

async function makeHome(data: string, portBase: number, osdBytes: number | undefined): Promise<Home> {
  const ports = portsFrom(portBase)
  await mkdir(data, { recursive: true })
  const real = await realpath(data)
  refuseLongPath(real)
  const strangers = await readdir(real)
  if (strangers.length > 0) {
    throw new Error(`${data} is not empty and holds no stack. Choose an empty or new folder with --data.`)
  }
  // PostgreSQL and the workers of nginx run as other accounts: they may pass through, but not look around.
  await chmod(real, 0o711)
  return { data: real, ports, identity: await createIdentity(real, portBase, osdBytes) }
}

// The kernel allows 107 characters for the path of a unix socket, and Ceph is asked about its health through one.
function refuseLongPath(data: string): void {
  const longest = 107 - '/radosgw/radosgw.asok'.length
  if (Buffer.byteLength(data) <= longest) return
  throw new Error(`The path ${data} is too long for Ceph's sockets: at most ${longest} bytes. Choose another --data.`)
}
