import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { agentDownload } from './agent-download.ts'
import { agentLimit } from './agent-limit.ts'
import { agentMemory } from './agent-memory.ts'
import { agentSmallFiles } from './agent-small-files.ts'
import { agentUpload } from './agent-upload.ts'
import { archive } from './archive.ts'
import { type Benchmark, type Figure, reached } from './benchmark.ts'
import { blueprints } from './blueprints.ts'
import { chunkLatency } from './chunk-latency.ts'
import { controlCost } from './control-cost.ts'
import { expiry } from './expiry.ts'
import { fileList } from './file-list.ts'
import { lists } from './lists.ts'
import { describeMachine } from './machine.ts'
import { packages } from './packages.ts'
import { realtime } from './realtime.ts'
import { openSite } from './site.ts'
import { figureTable } from './table.ts'
import { zip } from './zip.ts'

const benchmarks: readonly Benchmark[] = [
  blueprints,
  controlCost,
  packages,
  chunkLatency,
  fileList,
  lists,
  zip,
  realtime,
  archive,
  expiry,
  agentUpload,
  agentSmallFiles,
  agentDownload,
  agentMemory,
  agentLimit,
]
const names = benchmarks.map(({ name }) => name)

const help = `npm run bench [-- NAME…] [options]

Measures the server on the real engines, which it starts if need be. What it started it ends.
Prints a table for each benchmark and one line of JSON at the end.

Benchmarks: ${names.join(', ')}. All of them when none is named;
'agent' is all of the agent's.

Options
  --data DIR        the data folder of the stack (.stack in the repository)
  --port-base N     its first port; is kept with the data
  --quick           small sizes: shows that everything runs, too short to judge by
  --packages N      so many packages for the lists (10,000,000; 200,000 with --quick)
  --profile DIR     leave CPU profiles of the API and the worker there (the figures are worse meanwhile)
  --help            this text
`

const { values, positionals } = readCommandLine()
/** A name means itself and what begins with it: `agent` is all that is measured of the agent. */
const isMeant = (name: string, wanted: string) => name === wanted || name.startsWith(`${wanted}-`)
const unknown = positionals.find((wanted) => !names.some((name) => isMeant(name, wanted)))
if (values.help === true) {
  process.stdout.write(help)
} else if (unknown !== undefined) {
  refuse(`There is no benchmark '${unknown}'.\n\n${help}`)
} else {
  const isWanted = ({ name }: Benchmark) =>
    positionals.length === 0 || positionals.some((wanted) => isMeant(name, wanted))
  await measure(benchmarks.filter(isWanted))
}

async function measure(wanted: readonly Benchmark[]): Promise<void> {
  const quick = values.quick === true
  const { site, leave } = await openSite({
    data: values.data,
    portBase: values['port-base'] === undefined ? undefined : Number(values['port-base']),
    quick,
    packages: values.packages === undefined ? undefined : Number(values.packages),
    profile: values.profile === undefined ? undefined : resolve(values.profile),
  })
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => void leave().finally(() => process.exit(130)))
  }
  try {
    const machine = await describeMachine(site.stack)
    for (const [name, value] of Object.entries(machine)) console.log(`${name.padEnd(13)} ${value}`)
    // pgbench has many processes and our API is one: when others want the cores too, it is the API that comes short.
    if (Number(machine['load_average']) > Number(machine['cores']) / 2) {
      console.log('\nThe machine was busy before we began. Do not judge by these figures, not even by their ratios.')
    }
    if (quick) console.log('\nSmall sizes: this shows that the benchmarks run. Do not judge by these figures.')
    const results: { name: string; figures: readonly ReturnType<typeof told>[] }[] = []
    for (const { name, about, run } of wanted) {
      console.log(`\n── ${name} ──\n${wrapped(about)}\n`)
      const figures = await run(site)
      console.log(figureTable(figures))
      results.push({ name, figures: figures.map(told) })
    }
    console.log(`\n${JSON.stringify({ quick, machine, benchmarks: results })}`)
  } finally {
    await leave()
  }
}

function told(figure: Figure) {
  const is = reached(figure)
  return { ...figure, value: Number(figure.value.toPrecision(5)), ...(is === undefined ? {} : { reached: is }) }
}

function wrapped(text: string): string {
  return text.replaceAll(/(.{1,110})(?: |$)/g, '$1\n').trimEnd()
}

function readCommandLine() {
  try {
    return parseArgs({
      allowPositionals: true,
      options: {
        data: { type: 'string' },
        'port-base': { type: 'string' },
        quick: { type: 'boolean' },
        packages: { type: 'string' },
        profile: { type: 'string' },
        help: { type: 'boolean', short: 'h' },
      },
    })
  } catch (error) {
    return refuse(`${(error as Error).message}\n\n${help}`)
  }
}

/** For a command line that makes no sense; nothing has been done yet. */
function refuse(message: string): never {
  console.error(message)
  process.exit(2)
}
