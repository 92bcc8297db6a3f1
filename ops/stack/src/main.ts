import { parseArgs } from 'node:util'
import { destroy, down, type Options, reset, status, up } from '#stack'

const help = `npm run stack -- COMMAND [options]

The real engines on this machine, for development, tests and the demo: PostgreSQL, Redis, clamd, a mail catcher,
Ceph with its S3 gateway, and nginx in front of it.

Commands
  up       start what does not run, wait until all of it serves, print the stack as JSON
  down     stop it, keep the data
  status   print what each engine does; exit code 0 only if all serve
  reset    down, delete the data, up
  destroy  down, delete the data

Options
  --data DIR        the data folder (.stack in the repository)
  --port-base N     the first port (17400); is kept with the data
  --osd-bytes N     the size of the storage disk, a sparse file (40 GiB); heeded when the stack is made
  --help            this text
`

const { values, positionals } = readCommandLine()
const commands: Readonly<Record<string, (options: Options) => Promise<void>>> = {
  up: async (options) => print(await up(options)),
  down,
  status: printStatus,
  destroy,
  reset: async (options) => print(await reset(options)),
}

const command = commands[positionals[0] ?? '']
if (values.help) {
  process.stdout.write(help)
} else if (command === undefined || positionals.length !== 1) {
  refuse(`Which of up, down, status, reset, destroy?\n\n${help}`)
} else {
  const { data } = values
  const options = { data, portBase: wholeNumber('port-base'), osdBytes: wholeNumber('osd-bytes') }
  await command(options).catch((error: Error) => fail(error.message))
}

async function printStatus(options: Options): Promise<void> {
  const engines = await status(options)
  if (engines.length === 0) return fail("There is no stack here. Make one with 'npm run stack -- up'.")
  for (const { name, state, pid } of engines) {
    console.log(`${name.padEnd(10)} ${state.padEnd(12)}${pid === undefined ? '' : ` pid ${pid}`}`)
  }
  if (engines.some(({ state }) => state !== 'running')) process.exitCode = 1
}

function readCommandLine() {
  try {
    return parseArgs({
      allowPositionals: true,
      options: {
        data: { type: 'string' },
        'port-base': { type: 'string' },
        'osd-bytes': { type: 'string' },
        help: { type: 'boolean', short: 'h' },
      },
    })
  } catch (error) {
    return refuse(`${(error as Error).message}\n\n${help}`)
  }
}

function wholeNumber(name: 'port-base' | 'osd-bytes'): number | undefined {
  const text = values[name]
  if (text === undefined) return undefined
  return /^\d+$/.test(text) ? Number(text) : refuse(`--${name} wants a whole number, not '${text}'.`)
}

function print(value: unknown): void {
  console.log(JSON.stringify(value, undefined, 2))
}

function fail(message: string): void {
  console.error(message)
  process.exitCode = 1
}

/** For a command line that makes no sense; nothing has been done yet. */
function refuse(message: string): never {
  console.error(message)
  process.exit(2)
}
