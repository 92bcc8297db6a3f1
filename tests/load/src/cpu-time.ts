import { readdirSync, readFileSync } from 'node:fs'

/** Who of the running processes is counted, by the name it has in the tables. */
export type Watched = Readonly<Record<string, number>>

/** CPU seconds since the start of each process, its children included. `client` is this process alone. */
export type CpuTimes = Readonly<Record<string, number>>

// The kernel hands out the clock ticks of /proc/PID/stat at this rate, whatever its own timer does.
const ticksPerSecond = 100

export function cpuTimes(watched: Watched): CpuTimes {
  const children = childrenByParent()
  const times = Object.entries(watched).map(([name, pid]) => [name, treeSeconds(pid, children)])
  // Not from the tree: the API and the worker are children of ours.
  const { user, system } = process.cpuUsage()
  return { ...Object.fromEntries(times), client: (user + system) / 1e6 }
}

/** What was spent between two readings. */
export const cpuSpent = (before: CpuTimes, after: CpuTimes): CpuTimes =>
  Object.fromEntries(Object.entries(after).map(([name, seconds]) => [name, seconds - (before[name] ?? 0)]))

function treeSeconds(pid: number, children: ReadonlyMap<number, readonly number[]>): number {
  const below = (children.get(pid) ?? []).reduce((sum, child) => sum + treeSeconds(child, children), 0)
  return ownSeconds(pid) + reapedSeconds(pid) + below
}

/**
 * The time of all threads to the nanosecond. The ticks of /proc/PID/stat are 10 ms each, and that is as much as the API
 * spends on a few gigabytes.
 */
function ownSeconds(pid: number): number {
  const threads = attempt(() => readdirSync(`/proc/${pid}/task`), [])
  const times = threads.map((thread) => {
    const text = attempt(() => readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8'), '0')
    return Number(text.split(' ')[0])
  })
  return times.reduce((sum, nanoseconds) => sum + nanoseconds, 0) / 1e9
}

/** What children took that have ended: PostgreSQL has a process for each connection. */
function reapedSeconds(pid: number): number {
  const fields = statFields(pid)
  return (Number(fields[13] ?? 0) + Number(fields[14] ?? 0)) / ticksPerSecond
}

function childrenByParent(): ReadonlyMap<number, readonly number[]> {
  const children = new Map<number, number[]>()
  for (const entry of readdirSync('/proc')) {
    if (!/^\d+$/.test(entry)) continue
    const parent = Number(statFields(Number(entry))[1] ?? 0)
    children.set(parent, [...(children.get(parent) ?? []), Number(entry)])
  }
  return children
}

/** The fields of /proc/PID/stat behind the program's name, which may itself hold blanks: state, parent, and so on. */
function statFields(pid: number): readonly string[] {
  const text = attempt(() => readFileSync(`/proc/${pid}/stat`, 'utf8'), '')
  return text.slice(text.lastIndexOf(')') + 2).split(' ')
}

/** A process may end while we look at it; then it has nothing more to tell. */
function attempt<Result>(look: () => Result, otherwise: Result): Result {
  try {
    return look()
  } catch {
    return otherwise
  }
}
