import { readFileSync } from 'node:fs'

const statusBytes = (pid: number, line: RegExp): number =>
  Number(line.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? Number.NaN) * 1024

/** What a process has in memory, in bytes. */
const residentBytes = (pid: number): number => statusBytes(pid, /^VmRSS:\s+(\d+) kB$/m)

/** The most it ever had since its start. */
export const highestResident = (pid: number): number => statusBytes(pid, /^VmHWM:\s+(\d+) kB$/m)

const betweenLooksMs = 100

/** How much more a process held at the highest point of some work than before it. */
export async function growthDuring(pid: number, work: () => Promise<unknown>): Promise<number> {
  const before = residentBytes(pid)
  let highest = before
  const watch = setInterval(() => (highest = Math.max(highest, residentBytes(pid))), betweenLooksMs)
  try {
    await work()
  } finally {
    clearInterval(watch)
  }
  return Math.max(highest, residentBytes(pid)) - before
}
