import { type Paint, paintFor } from '#cli/terminal/paint'

/** What a command may use of the shell it was called in. */
export interface Shell {
  readonly env: Readonly<Record<string, string | undefined>>
  /** What was asked for, on standard output: nothing else goes there, so that it can be piped. */
  readonly print: (line: string) => void
  /** What a person wants to know meanwhile, on standard error. Silent with --quiet. */
  readonly say: (line: string) => void
  /** What went wrong, on standard error. */
  readonly complain: (line: string) => void
  readonly json: boolean
  readonly quiet: boolean
  /** Whether there is a person to ask. */
  readonly interactive: boolean
  /** Whether a line on standard error can be drawn anew. */
  readonly live: boolean
  /** Columns for what is printed; what is piped is not cut. */
  readonly width: () => number
  /** Colours for what is printed. */
  readonly paint: Paint
  /** Colours for what is said. */
  readonly tint: Paint
}

export interface Wishes {
  readonly json?: boolean
  readonly quiet?: boolean
}

/** The shell of this process; nothing else of the command line reads the environment. */
export function thisShell({ json = false, quiet = false }: Wishes): Shell {
  const { env, stdin, stdout, stderr } = process
  const person = stdin.isTTY && stderr.isTTY && !json
  const complain = (line: string) => void stderr.write(`${line}\n`)
  return {
    env,
    print: (line) => void stdout.write(`${line}\n`),
    say: quiet || json ? () => {} : complain,
    complain,
    json,
    quiet,
    interactive: person,
    live: stderr.isTTY && !json && !quiet && env['TERM'] !== 'dumb',
    width: () => (stdout.isTTY ? columnsOf(stdout) : 200),
    paint: paintFor(stdout),
    tint: paintFor(stderr),
  }
}

/** Some terminals do not know how wide they are, and say 0. */
export const columnsOf = ({ columns }: { readonly columns: number }): number => (columns > 0 ? columns : 80)
