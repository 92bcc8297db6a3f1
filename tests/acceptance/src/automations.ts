import { setTimeout as sleep } from 'node:timers/promises'
import { listAutomations } from '@longshore/contract/agent/automations'
import { listFiles } from '@longshore/contract/cloud/files'
import { listPortalPackages, listTeamPackages } from '@longshore/contract/cloud/packages'
import type { ReplyOf } from '@longshore/contract/endpoint'
import type { Agent } from '#agent'
import { use } from '#calls'
import { asOwner, inPortal, type Portal } from '#portals'
import { target } from '#target'
import { fetchFile, makeLink, type Package, readTokenOf } from '#walk'

/** A minute of timeouts, as the agents of these tests are started. */
export const minuteMs = 900

export const inShortMinutes = ['--minute-ms', String(minuteMs)]

/** Long enough for whatever would be sent or fetched to be so. */
export const aWhile = () => sleep(3 * minuteMs)

/** The same agent after a kill. */
export async function restarted(agent: Agent): Promise<Agent> {
  await agent.stop('SIGKILL')
  return Object.assign(agent, await agent.again())
}

type Listed = ReplyOf<typeof listAutomations>['automations'][number]

export async function automationOf(agent: Agent, id: string): Promise<Listed> {
  const { automations } = await use(listAutomations, {}, agent.at)
  const one = automations.find(({ automation_id }) => automation_id === id)
  if (one === undefined) throw new Error(`The agent has no automation ${id}.`)
  return one
}

/** Looks again and again, for as long as a busy machine may need. */
export async function eventually<Found>(what: string, look: () => Promise<Found | undefined | false>): Promise<Found> {
  for (const deadline = Date.now() + 180_000; Date.now() < deadline; await sleep(50)) {
    const found = await look()
    if (found !== undefined && found !== false) return found
  }
  throw new Error(`This did not come true: ${what}`)
}

/** Finished packages of the Team with this in their names, the oldest first. */
export async function sentAs(name: string): Promise<Package[]> {
  const query = { name, status: ['finalized'], sort: 'created_at' } as const
  const { records } = await use(
    listTeamPackages,
    { params: { team_id: target.team_id }, query: { ...query, status: [...query.status] } },
    asOwner,
  )
  return records as Package[]
}

export async function sentTo(portal: Portal): Promise<Package[]> {
  const { records } = await use(listPortalPackages, { params: inPortal(portal), query: {} }, asOwner)
  return records.filter(({ state }) => state === 'finalized') as Package[]
}

/** What is in a package, as a recipient gets it: the bytes of each file by its path, folders without. */
export async function contentsOf(pkg: Package, password?: string): Promise<Record<string, string>> {
  const token = await readTokenOf(await makeLink(pkg), password)
  const files = await use(listFiles, { params: { package_id: pkg.id } }, { as: { packageToken: token } })
  const contents: Record<string, string> = {}
  for (const { id, kind, path, name } of files) {
    if (kind !== 'file') continue
    contents[path === '' ? name : `${path}/${name}`] = (await fetchFile(pkg, id, token)).text
  }
  return contents
}
