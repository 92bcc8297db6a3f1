import { createHash, type Hash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { listFiles } from '@longshore/contract/cloud/files'
import { listTeamPackages } from '@longshore/contract/cloud/packages'
import { type AgentProcess, startAgent } from '@longshore/stack/longshore/agent-process'
import type { Ground } from '#ground'
import { downloaded, type OpenPackage, readerOf } from '#sender'

/** An agent of the Team of a ground that is killed and started again on the same data. */
export interface Mortal {
  readonly folder: string
  /** Posts to its API. */
  readonly post: (path: string, body: object) => Promise<void>
  readonly restart: () => Promise<void>
  readonly end: () => Promise<void>
}

export async function startMortal(ground: Ground, args: readonly string[]): Promise<Mortal> {
  const folder = join(process.env['LONGSHORE_TEST_FOLDER'] ?? tmpdir(), `${ground.bucket}-agent`)
  mkdirSync(join(folder, 'watched'), { recursive: true })
  const start = () =>
    startAgent({
      cloudUrl: ground.url,
      apiKey: ground.team.api_key,
      dataDir: join(folder, 'data'),
      logFile: join(folder, 'agent.log'),
      args,
    })
  let agent: AgentProcess = await start()
  return {
    folder: join(folder, 'watched'),
    post: async (path, body) => {
      const headers = { 'content-type': 'application/json' }
      const answer = await fetch(`${agent.url}/api/v1/${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
      if (!answer.ok) throw new Error(`The agent answered ${answer.status}: ${await answer.text()}`)
    },
    restart: async () => {
      await agent.kill()
      agent = await start()
    },
    end: () => agent.stop(),
  }
}

export type NamedPackage = OpenPackage & { readonly name: string }

/** All packages of the Team that were sent. */
export async function sentPackages({ client, team }: Ground): Promise<NamedPackage[]> {
  const found: NamedPackage[] = []
  for (let page = 1; ; page++) {
    const { records, metadata } = await client.call(listTeamPackages, {
      params: { team_id: team.team_id },
      query: { page, status: ['finalized'], sort: 'created_at' },
    })
    for (const { id, name, access_token: packageToken = '' } of records)
      found.push({ id, name, token: { packageToken } })
    if (page * 50 >= metadata.total) return found
  }
}

/** Checksums of what a recipient gets, by path without the outermost folder. */
export async function contentsOf(ground: Ground, pkg: OpenPackage): Promise<Record<string, string>> {
  const reader = await readerOf(ground, pkg)
  const files = await ground.client.call(listFiles, { params: { package_id: pkg.id } }, { credential: reader })
  const contents: Record<string, string> = {}
  for (const { id, kind, path, name } of files) {
    if (kind !== 'file') continue
    contents[[...path.split('/').slice(1), name].join('/')] = await downloaded(ground, pkg, { id }, reader)
  }
  return contents
}

/** The same of a folder on this machine. */
export function contentsIn(folder: string): Record<string, string> {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  return Object.fromEntries(
    files.map(({ parentPath, name }) => {
      const path = join(parentPath, name)
      return [path.slice(folder.length + 1), hex(createHash('sha256').update(readFileSync(path)))]
    }),
  )
}

const hex = (hash: Hash) => hash.digest('hex')
