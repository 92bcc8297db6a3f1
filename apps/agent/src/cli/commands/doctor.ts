import { statfs } from 'node:fs/promises'
import { ApiError } from '@longshore/client/client'
import { readSession } from '@longshore/contract/agent/session'
import { multiconnectStatus } from '@longshore/contract/agent/settings'
import { agentStatus } from '@longshore/contract/agent/system'
import { type Agent, type AgentStatus, type AgentWish, findAgent, namedAgent } from '#cli/agent/connection'
import { chosenServer } from '#cli/agent/background'
import { homeOf, shownPath } from '#cli/agent/home'
import { type Finding, tryTransfer } from '#cli/try-transfer'
import { exitCodes } from '#cli/exit-codes'
import { showBytes } from '#cli/human/bytes'
import { showDuration } from '#cli/human/time'
import type { Self } from '#cli/self'
import type { Shell } from '#cli/shell'
import { harmless } from '#cli/terminal/text'
import { Trouble } from '#cli/trouble'

export interface DoctorOptions extends AgentWish {
  /** Whether to try a transfer, which leaves a small package in the Team for a day. */
  readonly transfer?: boolean
}

/** Looks at everything between this command and the object store, and says what to do where something is wrong. */
export async function doctor(shell: Shell, self: Self, options: DoctorOptions): Promise<void> {
  const findings: Finding[] = []
  const report = (finding: Finding) => {
    findings.push(finding)
    if (!shell.json) tell(shell, finding)
  }
  const said = `longshore ${self.version}, Node ${process.versions.node}, ${process.platform}`
  report({ about: 'command', is: 'good', said })
  const agent = await findAgent(shell, options)
  const status = await lookAtAgent(shell, self, options, agent, report)
  await lookAtCloud(status?.cloud_url ?? (await chosenServer(shell)), report)
  if (agent !== undefined && status !== undefined) {
    const signedIn = await lookAtSession(agent, report)
    await lookAtInterfaces(agent, report)
    if (options.transfer === true && signedIn) report(await tryTransfer(agent))
  }
  await lookAtDisk('agent data', status?.data_dir ?? homeOf(shell.env).dataDir, report)
  await lookAtDisk('this folder', process.cwd(), report)
  conclude(shell, findings)
}

function conclude(shell: Shell, findings: readonly Finding[]): void {
  const bad = findings.filter(({ is }) => is === 'bad')
  if (shell.json) shell.print(JSON.stringify({ healthy: bad.length === 0, findings }))
  if (bad.length === 0) return shell.say(shell.tint('green', 'All is well.'))
  const away = bad.some(({ about }) => about === 'agent' || about === 'server')
  throw new Trouble(`Something is wrong: ${bad.map(({ about }) => about).join(', ')}.`, {
    exitCode: away ? exitCodes.unreachable : exitCodes.failed,
  })
}

const marks = { good: ['green', '✓'], warning: ['yellow', '!'], bad: ['red', '✗'] } as const

function tell(shell: Shell, { about, is, said, advice }: Finding): void {
  const [style, mark] = marks[is]
  shell.print(`${shell.paint(style, mark)} ${about.padEnd(12)} ${said}`)
  if (advice !== undefined) shell.print(`  ${''.padEnd(12)} → ${advice}`)
}

type Report = (finding: Finding) => void

async function lookAtAgent(
  shell: Shell,
  self: Self,
  wish: AgentWish,
  agent: Agent | undefined,
  report: Report,
): Promise<AgentStatus | undefined> {
  const about = 'agent'
  if (agent === undefined) {
    const named = namedAgent(shell, wish)
    const advice = named === undefined ? 'longshore agent start' : 'Check the address, or leave out --agent.'
    report({ about, is: 'bad', said: named === undefined ? 'does not run' : `does not answer at ${named}`, advice })
    return undefined
  }
  try {
    const status = await agent.call(agentStatus)
    const said = `${status.version} at ${agent.url}, process ${status.pid}`
    if (status.version === self.version) report({ about, is: 'good', said })
    else
      report({
        about,
        is: 'warning',
        said,
        advice: 'Another version than this command: longshore agent stop, then start.',
      })
    return status
  } catch (error) {
    report({ about, is: 'bad', said: (error as Error).message, advice: 'Name its token with --agent-token-file.' })
    return undefined
  }
}

const tolerableSkew = 60

async function lookAtCloud(cloudUrl: string | undefined, report: Report): Promise<void> {
  const about = 'server'
  if (cloudUrl === undefined) {
    return report({
      about,
      is: 'bad',
      said: 'not chosen yet',
      advice: 'longshore login --cloud https://transfer.example.com',
    })
  }
  const asked = Date.now()
  const reply = await fetch(`${cloudUrl}/openapi.json`, {
    redirect: 'error',
    signal: AbortSignal.timeout(10_000),
  }).catch((error: Error) => error)
  if (reply instanceof Error) {
    const why = (reply.cause as Error | undefined)?.message ?? reply.message
    return report({
      about,
      is: 'bad',
      said: `${cloudUrl} does not answer (${harmless(why)})`,
      advice: 'Check address, network and proxy.',
    })
  }
  const version = await versionIn(reply)
  const took = Date.now() - asked
  if (version === undefined) {
    return report({
      about,
      is: 'bad',
      said: `${cloudUrl} answers ${reply.status}, and not as Longshore`,
      advice: 'Check the address.',
    })
  }
  report({ about, is: 'good', said: `Longshore at ${cloudUrl}, API ${harmless(version)}, answered in ${took} ms` })
  lookAtClock(reply.headers.get('date'), (asked + Date.now()) / 2, report)
}

async function versionIn(reply: Response): Promise<string | undefined> {
  const document: unknown = await reply.json().catch(() => undefined)
  const info = (document as { info?: { version?: unknown } } | undefined)?.info
  return reply.ok && typeof info?.version === 'string' ? info.version : undefined
}

function lookAtClock(date: string | null, at: number, report: Report): void {
  const about = 'clock'
  const theirs = date === null ? Number.NaN : Date.parse(date)
  if (Number.isNaN(theirs)) return
  const skew = Math.round(Math.abs(theirs - at) / 1_000)
  if (skew <= tolerableSkew)
    return report({ about, is: 'good', said: `agrees with the server's (within ${Math.max(1, skew)} s)` })
  const advice = 'Set this clock right (timedatectl set-ntp true): signed requests have a time in them.'
  report({ about, is: 'bad', said: `differs from the server's by ${showDuration(skew)}`, advice })
}

/** Answers whether somebody is signed in. */
async function lookAtSession(agent: Agent, report: Report): Promise<boolean> {
  const about = 'session'
  try {
    const { user, teams } = await agent.call(readSession)
    report({
      about,
      is: 'good',
      said: `${harmless(user.name)} (${teams.map(({ name }) => harmless(name)).join(', ')})`,
    })
    return true
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    const said = 'nobody is signed in; only get and send --portal work'
    // Portals and downloads do not need one.
    if (error.error === 'session_is_nil') report({ about, is: 'warning', said, advice: 'longshore login' })
    else report({ about, is: 'bad', said: harmless(error.message) })
    return false
  }
}

async function lookAtInterfaces(agent: Agent, report: Report): Promise<void> {
  const { enabled, interfaces } = await agent.call(multiconnectStatus)
  const names = interfaces.map((one) => `${one.name}${one.enabled ? '' : ' (avoided)'}`).join(', ')
  const used = interfaces.filter((one) => one.enabled)
  if (enabled && used.length === 0) {
    return report({
      about: 'interfaces',
      is: 'bad',
      said: 'none is in use',
      advice: 'longshore settings interfaces --use NAME',
    })
  }
  report({ about: 'interfaces', is: 'good', said: `${names || 'none'}${enabled ? ', used together' : ''}` })
}

const littleSpace = 1e9

async function lookAtDisk(about: string, folder: string, report: Report): Promise<void> {
  const space = await statfs(folder).catch(() => undefined)
  if (space === undefined) return report({ about, is: 'warning', said: `${shownPath(folder)} is not there yet` })
  const free = space.bavail * space.bsize
  const said = `${showBytes(free)} free in ${shownPath(folder)}`
  if (free >= littleSpace) report({ about, is: 'good', said })
  else report({ about, is: 'warning', said, advice: 'Make space before you fetch large files.' })
}
