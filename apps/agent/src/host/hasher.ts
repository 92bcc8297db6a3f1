import { Worker } from 'node:worker_threads'
import type { Checksums, Digest, Hasher } from '@longshore/transfer/ports'
import { sourceCutShort, sourceFault } from '#host/disk-faults'
import { hashScript } from '#host/hash-script'
import type { HashNews, HashOrder } from '#host/hash-thread'
import { onDisk } from '#host/open-file'

export interface HashThreads extends Hasher {
  readonly close: () => Promise<void>
}

interface Waiting {
  readonly local: string
  readonly end: () => number
  readonly resolve: (checksums: Checksums) => void
  readonly reject: (error: unknown) => void
  readonly dropped: () => void
}

interface Thread {
  readonly tell: (order: HashOrder) => void
  /** How many files it has. */
  readonly load: () => number
  readonly open: (id: number, waiting: Waiting) => void
  readonly close: () => Promise<void>
}

/**
 * SHA-256 and CRC-32 in threads of their own, which read the files by themselves: behind those who move the bytes, out
 * of the page cache, by the handle that is open anyway. A GiB takes about a second of one of them. They are started
 * with the first file and stay.
 */
export function createHasher(threads = 2): HashThreads {
  const running: Thread[] = []
  let lastId = 0

  const leastLoaded = (): Thread => {
    const idle = running.find((thread) => thread.load() === 0)
    if (idle !== undefined) return idle
    if (running.length < threads) {
      const thread = startThread(() => running.splice(running.indexOf(thread), 1))
      running.push(thread)
      return thread
    }
    return running.reduce((least, thread) => (thread.load() < least.load() ? thread : least))
  }

  return {
    begin: (of, only) => digestIn(leastLoaded(), ++lastId, onDisk(of), only),
    close: async () => {
      await Promise.all(running.map((thread) => thread.close()))
    },
  }
}

function digestIn(thread: Thread, id: number, file: ReturnType<typeof onDisk>, only: 'sha256' | undefined): Digest {
  let end = 0
  const dropped = Promise.withResolvers<void>()
  const result = Promise.withResolvers<Checksums>()
  result.promise.catch(() => undefined)
  file.readers.add(dropped.promise)
  thread.open(id, { ...result, local: file.local, end: () => end, dropped: dropped.resolve })
  thread.tell({ kind: 'begin', id, fd: file.handle.fd, withCrc32: only === undefined })
  return {
    advance: (to) => {
      end = Math.max(end, to)
      thread.tell({ kind: 'advance', id, end })
    },
    finish: () => {
      thread.tell({ kind: 'finish', id })
      return result.promise
    },
    drop: () => {
      thread.tell({ kind: 'drop', id })
      result.reject(new Error('Nobody wants these checksums any more.'))
      void dropped.promise.then(() => file.readers.delete(dropped.promise))
    },
  }
}

// What it reads goes through one buffer; what it makes is a few numbers.
const resourceLimits = { maxYoungGenerationSizeMb: 2, maxOldGenerationSizeMb: 32 }

function startThread(ended: () => void): Thread {
  const worker = new Worker(hashScript, { resourceLimits })
  // An agent that has nothing else to do may end; one that waits for checksums may not.
  worker.unref()
  const files = new Map<number, Waiting>()
  const forget = (id: number, file: Waiting) => {
    files.delete(id)
    if (files.size === 0) worker.unref()
    file.dropped()
  }
  worker.on('message', (news: HashNews) => {
    const file = files.get(news.id)
    if (file === undefined) return
    if (news.kind === 'dropped') forget(news.id, file)
    else if (news.kind === 'failed') {
      file.reject(sourceFault(Object.assign(new Error(news.message), { code: news.code }), file.local))
    } else if (news.bytes < file.end()) file.reject(sourceCutShort(file.local))
    else file.resolve(news.checksums)
  })
  let reason: unknown = new Error('The thread for checksums has ended.')
  worker.on('error', (error) => (reason = error))
  worker.on('exit', () => {
    ended()
    for (const [id, file] of files) {
      file.reject(reason)
      forget(id, file)
    }
  })
  return {
    tell: (order) => worker.postMessage(order, []),
    load: () => files.size,
    open: (id, waiting) => {
      files.set(id, waiting)
      worker.ref()
    },
    close: async () => {
      await worker.terminate()
    },
  }
}
