import { access, readdir, readFile, realpath } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'

/**
 * Names the disk of a device number. Numbers are handed out anew at each start of the machine, so on Linux the name comes
 * from the disk itself where it has one (`/dev/disk/by-id`), from its file system (`by-uuid`), or from what is mounted.
 * Partitions of one disk have one name, since they share its speed.
 */
export function createDiskId(): (device: bigint) => Promise<string> {
  const known = new Map<bigint, Promise<string>>()
  return (device) => {
    const id = known.get(device) ?? diskId(device)
    known.set(device, id)
    return id
  }
}

async function diskId(device: bigint): Promise<string> {
  if (process.platform !== 'linux') return `device-${device}`
  const numbers = linuxNumbers(device)
  const block = await wholeDisk(numbers)
  if (block !== undefined) {
    const name = (await nameIn('/dev/disk/by-id', block)) ?? (await nameIn('/dev/disk/by-uuid', block))
    return name ?? block
  }
  const mounts = await readFile('/proc/self/mountinfo', 'utf8').catch(() => '')
  return mountedAs(mounts, numbers) ?? `device-${device}`
}

/** As the kernel writes them: `major:minor`. */
export function linuxNumbers(device: bigint): string {
  const major = ((device >> 8n) & 0xfffn) | ((device >> 32n) & ~0xfffn)
  const minor = (device & 0xffn) | ((device >> 12n) & ~0xffn)
  return `${major}:${minor}`
}

/** The name of the block device that this is, or is a part of. */
async function wholeDisk(numbers: string): Promise<string | undefined> {
  try {
    const device = await realpath(`/sys/dev/block/${numbers}`)
    const isPartition = await access(join(device, 'partition')).then(
      () => true,
      () => false,
    )
    return basename(isPartition ? dirname(device) : device)
  } catch {
    // A share, a memory disk, or a system that hides its devices.
    return undefined
  }
}

async function nameIn(folder: string, block: string): Promise<string | undefined> {
  const names = await readdir(folder).catch((): string[] => [])
  for (const name of names.sort()) {
    const target = await realpath(join(folder, name)).catch(() => '')
    if (basename(target) === block) return name
  }
  return undefined
}

/** What a file system that is on no block device was mounted from, such as `server:/export`. */
export function mountedAs(mountinfo: string, numbers: string): string | undefined {
  for (const line of mountinfo.split('\n')) {
    const [before = '', after = ''] = line.split(' - ')
    const fields = before.split(' ')
    if (fields[2] !== numbers) continue
    const [type, source = ''] = after.split(' ')
    // Memory disks have no source of their own to tell them apart by.
    return source.includes('/') ? source : `${type} at ${fields[4]}`
  }
  return undefined
}
