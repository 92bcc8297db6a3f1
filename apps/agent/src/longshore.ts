#!/usr/bin/env node
import { realpathSync } from 'node:fs'
import { isSea } from 'node:sea'
import { begin } from '@longshore/kit/lifecycle'
import { agentEnvironment } from '#cli/agent/environment'
import { main } from '#cli/main'
import { version } from './version.ts'

const { execPath, execArgv, argv, env } = process

/** The agent is most of the program by far; only those who run it load it. */
async function runAgent(args: readonly string[]): Promise<void> {
  const { describeOptions, readConfig } = await import('./config.ts')
  if (args.includes('--help') || args.includes('-h')) return void process.stdout.write(describeOptions())
  const { runAgent } = await import('./run-agent.ts')
  begin(async () => runAgent(readConfig(args, await agentEnvironment(env))))
}

// No `await` here: an executable is made of a script, and scripts have none outside of functions.
void main(
  { version, command: isSea() ? [execPath] : [execPath, ...execArgv, realpathSync(argv[1] ?? '')], runAgent },
  argv.slice(2),
).then((code) => {
  process.exitCode = code
})
