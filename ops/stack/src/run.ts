import { spawn } from 'node:child_process'

/** The account a program runs as, when it may not be our own. */
export type Account = { readonly uid: number; readonly gid: number }

export type Command = {
  readonly file: string
  readonly args: readonly string[]
  readonly cwd: string
  readonly env?: Readonly<Record<string, string>>
  readonly account?: Account | undefined
}

/**
 * What every program of the stack finds in its environment. Nothing of the caller's own comes in: a stray PGDATA,
 * CEPH_ARGS or LD_PRELOAD would change what is started. An ordinary user's PATH often lacks the sbin folders.
 */
export const plainEnvironment = {
  PATH: `${process.env['PATH'] ?? ''}:/usr/local/sbin:/usr/sbin:/usr/bin:/sbin:/bin`,
  LANG: 'C.UTF-8',
  HOME: '/',
}

/** Runs a program to its end and answers its standard output. Throws with the program's own words when it fails. */
export function run(command: Command, input = '', seconds = 120): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(command.file, command.args, {
      cwd: command.cwd,
      env: { ...plainEnvironment, ...command.env },
      timeout: seconds * 1000,
      killSignal: 'SIGKILL',
      ...command.account,
    })
    const out: Buffer[] = []
    const err: Buffer[] = []
    child.stdout.on('data', (piece: Buffer) => out.push(piece))
    child.stderr.on('data', (piece: Buffer) => err.push(piece))
    child.once('error', reject)
    child.once('close', (code, signal) => {
      if (code === 0) return resolve(Buffer.concat(out).toString())
      const words = Buffer.concat([...err, ...out])
        .toString()
        .trim()
        .slice(-2000)
      reject(new Error(`${command.file} ${command.args[0] ?? ''} ended with ${signal ?? code}: ${words}`))
    })
    // A program that never reads its input closes it; its exit code says what happened.
    child.stdin.on('error', () => {})
    child.stdin.end(input)
  })
}
