import { createHash } from 'node:crypto'
import { createServer, type Server } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

/**
 * Does the work while no other `up` or `down` touches the same data folder.
 *
 * The lock is a socket in the kernel's own name space: it vanishes with its holder, so a killed one leaves none behind.
 */
export async function locked<T>(data: string, work: () => Promise<T>): Promise<T> {
  const name = `\0longshore-stack-${createHash('sha256').update(data).digest('hex').slice(0, 32)}`
  const lock = await take(name, Date.now() + 180_000)
  try {
    return await work()
  } finally {
    await new Promise((resolve) => lock.close(resolve))
  }
}

async function take(name: string, deadline: number): Promise<Server> {
  for (;;) {
    const lock = await tryToListen(name)
    if (lock !== undefined) return lock
    if (Date.now() > deadline) throw new Error('Another stack command works on this data folder and does not finish.')
    await sleep(50)
  }
}

function tryToListen(name: string): Promise<Server | undefined> {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE') resolve(undefined)
      else reject(error)
    })
    server.listen(name, () => resolve(server))
  })
}
