import { readFileSync } from 'node:fs'
import { setInterval } from 'node:timers'

/** What a process holds in memory at this moment, in MB. */
export function residentMegabytes(pid: number): number {
  const kilobytes = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
  return Number(kilobytes) / 1000
}

/** How much more memory a process took at its highest while the work went on than before it. */
export async function growthWhile<Result>(
  pid: number,
  work: () => Promise<Result>,
): Promise<{ readonly result: Result; readonly megabytes: number }> {
  const before = residentMegabytes(pid)
  let highest = before
  const look = setInterval(() => {
    highest = Math.max(highest, residentMegabytes(pid))
  }, 50)
  try {
    return { result: await work(), megabytes: highest - before }
  } finally {
    clearInterval(look)
  }
}
