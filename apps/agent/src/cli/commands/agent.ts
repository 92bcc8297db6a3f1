import { spawnSync } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { agentStatus } from '@longshore/contract/agent/system'
import { startInBackground, stopAgent } from '#cli/agent/background'
import { type AgentWish, findAgent, namedAgent, needAgent } from '#cli/agent/connection'
import { homeOf, shownPath } from '#cli/agent/home'
import { systemdUnit } from '#cli/agent/systemd-unit'
import { askWhether } from '#cli/ask'
import { Misuse } from '#cli/misuse'
import type { Self } from '#cli/self'
import type { Shell } from '#cli/shell'
import { Interrupted, Trouble } from '#cli/trouble'

export async function start(shell: Shell, self: Self, args: readonly string[], wish: AgentWish): Promise<void> {
  onlyOwn(shell, wish)
  if (args.some((arg) => arg.startsWith('--data-dir'))) {
    throw new Misuse('Set LONGSHORE_DATA_DIR in place of --data-dir: every command looks there for the agent.')
  }
  const running = await findAgent(shell, wish)
  const agent = running ?? (await startInBackground(shell, self, args))
  const { pid } = await agent.call(agentStatus)
  if (shell.json) shell.print(JSON.stringify({ url: agent.url, pid, started: running === undefined }))
  else shell.say(`The agent ${running === undefined ? 'runs now' : 'runs already'}: ${agent.url}, process ${pid}.`)
}

export async function stop(shell: Shell, wish: AgentWish): Promise<void> {
  onlyOwn(shell, wish)
  const agent = await findAgent(shell, wish)
  if (agent === undefined) return shell.say('No agent is running.')
  await stopAgent(shell, agent)
  shell.say('The agent has ended. Transfers go on when it is started again.')
}

function onlyOwn(shell: Shell, wish: AgentWish): void {
  if (namedAgent(shell, wish) === undefined) return
  throw new Misuse('Only the agent of this user is started and stopped here; leave out --agent.')
}

export interface InstallOptions {
  readonly print?: boolean
  readonly yes?: boolean
}

/** Makes the agent a service of this user, after showing what will be written. */
export async function install(shell: Shell, self: Self, { print, yes }: InstallOptions): Promise<void> {
  if (process.platform !== 'linux')
    throw new Trouble('This installs a systemd unit, so it needs Linux.', { hint: 'longshore agent start' })
  const dataDir = shell.env['LONGSHORE_DATA_DIR']
  const unit = systemdUnit(self.command, dataDir === undefined ? {} : { LONGSHORE_DATA_DIR: homeOf(shell.env).dataDir })
  if (print === true) return shell.print(unit.trimEnd())
  const file = join(shell.env['XDG_CONFIG_HOME'] ?? join(homedir(), '.config'), 'systemd', 'user', 'longshore.service')
  shell.say(`${shownPath(file)}:\n\n${unit.replaceAll(/^(?=.)/gm, '  ')}`)
  if (yes !== true) await confirm(shell)
  if ((await findAgent(shell, {})) !== undefined) await stop(shell, {})
  await mkdir(dirname(file), { recursive: true })
  await writeFile(file, unit)
  systemctl('daemon-reload')
  systemctl('enable', '--now', 'longshore.service')
  const agent = await needAgentSoon(shell)
  shell.say(`The agent runs as a service: ${agent.url}. To let it run while you are logged out: loginctl enable-linger`)
}

async function confirm(shell: Shell): Promise<void> {
  if (!shell.interactive) throw new Misuse('Add --yes to write this, or --print to see it only.')
  if (!(await askWhether('Write this file and start the service?'))) throw new Interrupted('Nothing was written.')
}

function systemctl(...args: readonly string[]): void {
  const { status, stderr, error } = spawnSync('systemctl', ['--user', ...args], { encoding: 'utf8' })
  if (status === 0) return
  throw new Trouble(`systemctl --user ${args.join(' ')} failed: ${(error?.message ?? stderr).trim()}`, {
    hint: 'Without a systemd of your own: longshore agent start',
  })
}

async function needAgentSoon(shell: Shell, tries = 100) {
  for (let left = tries; left > 0; left--) {
    const agent = await findAgent(shell, {})
    if (agent !== undefined) return agent
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  return needAgent(shell, {})
}
