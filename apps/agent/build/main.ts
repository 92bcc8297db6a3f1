import { execFileSync } from 'node:child_process'
import { statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { agentFolder } from './bundle.ts'
import { makeExecutable } from './executable.ts'
import { makePackage } from './npm-package.ts'

const help = `node build/main.ts [--no-executable] [--out FOLDER]

Builds what is published: package/ for npm, executable/ for machines without Node. Into dist/ if nothing else is said.
`

const { values } = parseArgs({
  options: { 'no-executable': { type: 'boolean' }, out: { type: 'string' }, help: { type: 'boolean', short: 'h' } },
})
if (values.help === true) {
  process.stdout.write(help)
  process.exit(0)
}
const dist = resolve(values.out ?? join(agentFolder, 'dist'))
const say = (line: string) => void process.stdout.write(`${line}\n`)

const began = performance.now()
await makePackage(join(dist, 'package'))
say(`package: built after ${seconds()} s`)
if (values['no-executable'] !== true) {
  say(`package: ${startUp([process.execPath, join(dist, 'package/bin/longshore.js')])}`)
  const executable = await makeExecutable(join(dist, 'executable'))
  const size = Math.round(statSync(executable).size / 1e6)
  say(`executable: built after ${seconds()} s, ${size} MB; ${startUp([executable])}`)
}

function seconds(): string {
  return ((performance.now() - began) / 1_000).toFixed(1)
}

/** How long a person waits for help, and how much of that is Node itself. */
function startUp([program = '', ...args]: readonly string[]): string {
  const node = calmest(process.execPath, ['-e', '0'])
  return `longshore --help takes ${calmest(program, [...args, '--help'])} ms, Node alone ${node} ms`
}

/** The shortest of several: whatever else the machine does makes it longer, never shorter. */
function calmest(program: string, args: readonly string[]): number {
  const times = Array.from({ length: 5 }, () => {
    const at = performance.now()
    execFileSync(program, args, { stdio: 'ignore' })
    return performance.now() - at
  })
  return Math.round(Math.min(...times))
}
