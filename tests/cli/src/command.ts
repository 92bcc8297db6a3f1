import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'

export type Environment = Readonly<Record<string, string>>

/** How a command ended. */
export interface Ran {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

/** A command that runs, with what it has written so far. */
export interface Running {
  readonly child: ChildProcess
  readonly ended: Promise<Ran>
  /** Both streams, in the order they came. */
  readonly written: () => string
  /** Waits until it has written something. */
  readonly until: (pattern: RegExp) => Promise<string>
  readonly type: (text: string) => void
}

export function begin(program: string, args: readonly string[], env: Environment, cwd?: string): Running {
  const child = spawn(program, args, {
    env,
    stdio: ['pipe', 'pipe', 'pipe'],
    ...(cwd === undefined ? {} : { cwd }),
    // A command that waits for ever fails its test, and not the whole gate.
    timeout: 60_000,
    killSignal: 'SIGKILL',
  })
  let [stdout, stderr, all] = ['', '', '']
  child.stdout.setEncoding('utf8').on('data', (piece: string) => {
    stdout += piece
    all += piece
  })
  child.stderr.setEncoding('utf8').on('data', (piece: string) => {
    stderr += piece
    all += piece
  })
  // Whoever ends early reads no more.
  child.stdin.on('error', () => {})
  const ended = once(child, 'close').then(([code]) => ({ code: (code as number | null) ?? -1, stdout, stderr }))
  return {
    child,
    ended,
    written: () => all,
    type: (text) => child.stdin.write(text),
    async until(pattern) {
      for (const deadline = Date.now() + 30_000; Date.now() < deadline; await sleep(20)) {
        const found = pattern.exec(all)
        if (found !== null) return found[0]
        if (child.exitCode !== null) break
      }
      throw new Error(`It never wrote ${pattern}. It wrote:\n${all}`)
    },
  }
}

const quoted = (word: string): string => `'${word.replaceAll("'", `'\\''`)}'`

/** The same in a real pseudo-terminal of so many columns. */
export function beginInTerminal(
  program: string,
  args: readonly string[],
  env: Environment,
  cwd: string,
  columns = 80,
): Running {
  const line = [program, ...args].map(quoted).join(' ')
  const inside = `stty cols ${columns} rows 24 -echo; exec ${line}`
  return begin('script', ['-qefc', inside, '/dev/null'], { ...env, TERM: 'xterm' }, cwd)
}
