import { createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

export const defaultPortBase = 17400

// +7 to +19 belong to the api, the worker and the web app of the demo.
const offsets = {
  postgres: 0,
  redis: 1,
  clamd: 2,
  smtp: 3,
  mail: 4,
  radosgw: 5,
  storage: 6,
  mon: 20,
  osdFirst: 30,
  osdLast: 70,
} as const

export type Ports = Readonly<Record<keyof typeof offsets, number>>

export function portsFrom(base: number): Ports {
  const highest = 65535 - offsets.osdLast
  if (!Number.isInteger(base) || base < 1024 || base > highest) {
    throw new Error(`The port base must be a whole number from 1024 to ${highest}, not '${base}'.`)
  }
  const ports = Object.entries(offsets).map(([name, offset]) => [name, base + offset])
  return Object.fromEntries(ports) as Ports
}

/** Like portIsFree, but gives a process that is just ending a second to let go. */
export async function portComesFree(port: number): Promise<boolean> {
  const deadline = Date.now() + 1000
  while (!(await portIsFree(port))) {
    if (Date.now() > deadline) return false
    await sleep(50)
  }
  return true
}

/** Whether nobody listens on this loopback port at the moment. */
export function portIsFree(port: number): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const probe = createServer()
    probe.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE') resolve(false)
      else reject(error)
    })
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)))
  })
}
