import type { Motion } from '@longshore/transfer/ports'
import { type DiskRules, type DiskUse, type Job, mayBegin } from '#host/disk-turns'

/** Holds the readers and writers of each disk to its rules. */
export interface Disks {
  /** Waits for a turn on the disk of this device. Answers how to give it back, which may be done twice. */
  readonly reading: (device: bigint, motion: Motion) => Promise<() => void>
  readonly writing: (device: bigint, motion: Motion) => Promise<() => void>
  /** What each disk that was used since the start has to do now. */
  readonly use: () => ReadonlyMap<string, DiskUse>
  /** The rules are others now: whoever waits is judged anew. */
  readonly rulesChanged: () => void
}

interface Waiting {
  readonly job: Job
  readonly begin: () => void
}

interface Disk {
  readonly id: string
  readonly inUse: { read: number; write: number }
  readonly waiting: Waiting[]
}

export function createDisks(lent: {
  readonly idOf: (device: bigint) => Promise<string>
  readonly rulesFor: (diskId: string) => DiskRules
}): Disks {
  const disks = new Map<string, Disk>()

  const diskOf = async (device: bigint): Promise<Disk> => {
    const id = await lent.idOf(device)
    const disk = disks.get(id) ?? { id, inUse: { read: 0, write: 0 }, waiting: [] }
    disks.set(id, disk)
    return disk
  }

  const admit = (disk: Disk) => {
    const rules = lent.rulesFor(disk.id)
    const next = () => disk.waiting.find(({ job }) => mayBegin(job, useOf(disk), rules))
    for (let one = next(); one !== undefined; one = next()) {
      disk.waiting.splice(disk.waiting.indexOf(one), 1)
      disk.inUse[one.job]++
      one.begin()
    }
  }

  const turn = (disk: Disk, job: Job, signal: AbortSignal) =>
    new Promise<void>((resolve, reject) => {
      const one: Waiting = {
        job,
        begin: () => {
          signal.removeEventListener('abort', stop)
          resolve()
        },
      }
      const stop = () => {
        disk.waiting.splice(disk.waiting.indexOf(one), 1)
        reject(signal.reason as Error)
        admit(disk)
      }
      if (signal.aborted) {
        reject(signal.reason as Error)
        return
      }
      signal.addEventListener('abort', stop, { once: true })
      disk.waiting.push(one)
      admit(disk)
    })

  const enter = (job: Job) => async (device: bigint, motion: Motion) => {
    const disk = await diskOf(device)
    await motion.waiting(turn(disk, job, motion.signal))
    let held = true
    return () => {
      if (!held) return
      held = false
      disk.inUse[job]--
      admit(disk)
    }
  }

  return {
    reading: enter('read'),
    writing: enter('write'),
    use: () => new Map([...disks].map(([id, disk]) => [id, useOf(disk)])),
    rulesChanged: () => disks.forEach(admit),
  }
}

function useOf({ inUse, waiting }: Disk): DiskUse {
  const waitingReaders = waiting.filter(({ job }) => job === 'read').length
  return {
    readers: inUse.read,
    writers: inUse.write,
    waitingReaders,
    waitingWriters: waiting.length - waitingReaders,
  }
}
