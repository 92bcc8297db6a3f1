import { spawn } from 'node:child_process'
import { chmod, mkdir, open, readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { agentStatus } from '@longshore/contract/agent/system'
import { type Agent, type AgentWish, findAgent, isOurs, namedAgent, needAgent } from '#cli/agent/connection'
import { type Home, homeOf, readChoices, shownPath, writeChoices } from '#cli/agent/home'
import type { Shell } from '#cli/shell'
import { exitCodes } from '#cli/exit-codes'
import { Trouble } from '#cli/trouble'
import type { Self } from '#cli/self'

const patience = 20_000

/**
 * The agent that is meant; if it is this user's own and does not run, it is started. Where nobody has chosen a server
 * yet, the likely one is taken.
 */
export async function findOrStartAgent(
  shell: Shell,
  wish: AgentWish,
  self: Self,
  likelyServer?: string,
): Promise<Agent> {
  if (namedAgent(shell, wish) !== undefined) return needAgent(shell, wish)
  const running = await findAgent(shell, wish)
  if (running !== undefined) return running
  if (likelyServer !== undefined) await supposeServer(shell, likelyServer)
  const agent = await startInBackground(shell, self)
  shell.say('Started the agent in the background. It goes on when this command ends; longshore agent stop ends it.')
  return agent
}

/** Starts the agent of this user so that it outlives the command, and waits until it answers. */
export async function startInBackground(shell: Shell, self: Self, args: readonly string[] = []): Promise<Agent> {
  const home = homeOf(shell.env)
  if ((await chosenServer(shell)) === undefined) throw noServer()
  await mkdir(home.dataDir, { recursive: true, mode: 0o700 })
  const log = await open(home.logFile, 'a', 0o600)
  const before = (await log.stat()).size
  await chmod(home.logFile, 0o600)
  const [program = '', ...script] = self.command
  const child = spawn(program, [...script, 'agent', 'run', ...args], {
    // A folder that is removed or unmounted later must not be held.
    cwd: home.dataDir,
    detached: true,
    stdio: ['ignore', log.fd, log.fd],
    windowsHide: true,
  })
  await log.close()
  let ended = false
  child.once('exit', () => (ended = true))
  child.once('error', () => (ended = true))
  child.unref()
  for (const deadline = Date.now() + patience; Date.now() < deadline; await sleep(50)) {
    const agent = await findAgent(shell, {})
    if (agent !== undefined) return agent
    if (ended) break
  }
  throw new Trouble(`The agent did not start.${await endOf(home, before)}`, {
    exitCode: exitCodes.unreachable,
    hint: `Its log is ${shownPath(home.logFile)}.`,
  })
}

/** The server that the agent of this user works with. */
export const chosenServer = async (shell: Shell): Promise<string | undefined> =>
  shell.env['LONGSHORE_CLOUD_URL'] ?? (await readChoices(homeOf(shell.env))).cloud_url

async function supposeServer(shell: Shell, url: string): Promise<void> {
  if ((await chosenServer(shell)) !== undefined) return
  const home = homeOf(shell.env)
  await writeChoices(home, { ...(await readChoices(home)), cloud_url: url })
  shell.say(`No server was chosen yet, so ${url} it is. Another: longshore login --cloud URL`)
}

const noServer = () =>
  new Trouble('No server is chosen yet.', {
    exitCode: exitCodes.noSession,
    hint: 'longshore login --cloud https://transfer.example.com',
  })

/** Asks an agent on this machine to end, and waits until it has. What it was doing goes on when it is started again. */
export async function stopAgent(shell: Shell, agent: Agent): Promise<void> {
  const { pid } = await agent.call(agentStatus)
  process.kill(pid, 'SIGTERM')
  for (const deadline = Date.now() + patience; Date.now() < deadline; await sleep(50)) {
    if (!isOurs(pid)) return
  }
  throw new Trouble(`The agent (process ${pid}) does not end.`, {
    hint: `Its log is ${shownPath(homeOf(shell.env).logFile)}.`,
  })
}

/** The last words of an agent that ended. */
async function endOf(home: Home, from: number): Promise<string> {
  const text = (await readFile(home.logFile)).subarray(from).toString()
  const plain = text.split('\n').filter((line) => line !== '' && !line.startsWith('{'))
  return plain.length === 0 ? '' : `\n${plain.slice(-5).join('\n')}`
}
