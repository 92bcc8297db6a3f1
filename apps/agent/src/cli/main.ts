import { CommanderError } from 'commander'
import { exitCodes } from '#cli/exit-codes'
import { programOf } from '#cli/program'
import type { Self } from '#cli/self'
import { paintFor } from '#cli/terminal/paint'
import { explain, Trouble } from '#cli/trouble'

/** Runs the command line and answers what the process is to end with. */
export async function main(self: Self, args: readonly string[]): Promise<number> {
  // Whoever reads us, `head` for one, may have enough before we are done.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(exitCodes.done)
    process.exit(complainAbout(new Trouble(`The output could not be written: ${error.message}`), false))
  })
  const program = programOf(self)
  try {
    await program.parseAsync(args, { from: 'user' })
    return exitCodes.done
  } catch (error) {
    // Commander has said what it wanted to say.
    if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.done : exitCodes.misuse
    return complainAbout(error, args.includes('--json'))
  }
}

function complainAbout(error: unknown, json: boolean): number {
  const { message, hint, exitCode, error: name } = explain(error)
  if (json)
    process.stdout.write(
      `${JSON.stringify({ event: 'error', error: name ?? null, message, hint, exit_code: exitCode })}\n`,
    )
  const paint = paintFor(process.stderr)
  const mark = exitCode === exitCodes.interrupted ? '' : `${paint('red', 'error:')} `
  process.stderr.write(`${mark}${message}\n${hint === undefined ? '' : `  ${paint('dim', '→')} ${hint}\n`}`)
  return exitCode
}
