import { randomBytes } from 'node:crypto'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startDownload } from '@longshore/contract/agent/downloads'
import { readSession } from '@longshore/contract/agent/session'
import { createUploadLink, startUpload } from '@longshore/contract/agent/uploads'
import { type Agent, isElsewhere } from '#cli/agent/connection'
import { follow } from '#cli/follow'
import { harmless } from '#cli/terminal/text'
import { doTo, type TransferKind } from '#cli/transfer'

/** What a look at one thing has found. */
export interface Finding {
  readonly about: string
  readonly is: 'good' | 'warning' | 'bad'
  readonly said: string
  /** What to do about it. */
  readonly advice?: string
}

const size = 1_000_000
const unreachableStore =
  'If nothing else is said: the public address of the object store must be reachable from here. Check firewall and proxy.'
const patience = 60_000

/** Sends a megabyte and fetches it back: the one way to know that signed requests reach the store and are taken there. */
export async function tryTransfer(agent: Agent): Promise<Finding> {
  const about = 'transfer'
  if (isElsewhere(agent.url)) return { about, is: 'warning', said: 'not tried: the agent cannot see our disks' }
  const folder = await mkdtemp(join(tmpdir(), 'longshore-doctor-'))
  const content = randomBytes(size)
  try {
    await writeFile(join(folder, 'trial.bin'), content)
    const began = performance.now()
    const url = await sendTrial(agent, join(folder, 'trial.bin'))
    const sent = performance.now()
    await fetchTrial(agent, url, join(folder, 'back'))
    const fetched = performance.now()
    if (!content.equals(await readFile(join(folder, 'back/trial.bin')))) {
      return {
        about,
        is: 'bad',
        said: 'what came back is not what was sent',
        advice: 'Tell the operator of the server.',
      }
    }
    const said = `1 MB sent in ${Math.round(sent - began)} ms, fetched in ${Math.round(fetched - sent)} ms, the same byte by byte`
    return { about, is: 'good', said }
  } catch (error) {
    return { about, is: 'bad', said: harmless((error as Error).message), advice: unreachableStore }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function sendTrial(agent: Agent, path: string): Promise<string> {
  const { teams } = await agent.call(readSession)
  const body = { team_id: teams[0]?.id ?? '', paths: [path], package_name: 'longshore doctor', delete_after: 1 }
  const { upload_id } = await agent.call(startUpload, { body })
  return carried(agent, 'upload', upload_id, async () => {
    return (await agent.call(createUploadLink, { params: { upload_id } })).url
  })
}

async function fetchTrial(agent: Agent, url: string, dst_folder: string): Promise<void> {
  const { download_id } = await agent.call(startDownload, { body: { url, dst_folder, create_package_folder: false } })
  await carried(agent, 'download', download_id, async () => {})
}

/** Waits for a transfer, does what it was for, and makes the agent forget it. */
async function carried<T>(agent: Agent, kind: TransferKind, id: string, then: () => Promise<T>): Promise<T> {
  try {
    await until(agent, kind, id)
    return await then()
  } finally {
    await doTo(agent, 'delete', kind, id)
  }
}

async function until(agent: Agent, kind: TransferKind, id: string): Promise<void> {
  const signal = AbortSignal.timeout(patience)
  try {
    for await (const { state, error } of follow(async () => agent, kind, id, signal)) {
      if (state === 'complete') return
      if (state === 'error') throw new Error(error?.message ?? 'The agent does not say why.')
    }
  } catch (error) {
    throw signal.aborted ? new Error(`no ${kind} within a minute`) : error
  }
}
