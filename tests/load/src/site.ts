import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { dropDatabase } from '@longshore/stack/longshore/database'
import { makeFirstTeam } from '@longshore/stack/longshore/first-team'
import { startInstance } from '@longshore/stack/longshore/instance'
import { startScript, untilReady } from '@longshore/stack/longshore/server-process'
import { run } from '@longshore/stack/run'
import { down, type Stack, status, up } from '@longshore/stack/stack'
import type { Site } from './benchmark.ts'

export interface SiteOptions {
  readonly data: string | undefined
  readonly portBase: number | undefined
  readonly quick: boolean
  readonly packages: number | undefined
  /** Where the API and the worker leave CPU profiles, if anywhere. */
  readonly profile: string | undefined
}

// +10 is the server of the acceptance tests.
const apiPort = 12
const secondApiPort = 16

/** Brings up a server of our own, with its database and bucket. `leave` takes all of it away again. */
export async function openSite(options: SiteOptions): Promise<{ site: Site; leave: () => Promise<void> }> {
  const { data, portBase, quick, packages } = options
  const wasUp = (await status({ data })).some(({ state }) => state !== 'stopped')
  const stack = await up({ data, portBase, say: () => {} })
  const name = `bench-${process.pid}`
  const folder = join(tmpdir(), `longshore-${name}`)
  const undo: (() => Promise<unknown>)[] = [
    ...(wasUp ? [] : [() => down({ data })]),
    () => removeBucket(stack, name),
    () => dropDatabase(stack, name.replaceAll('-', '_')),
    () => rm(folder, { recursive: true, force: true }),
  ]
  const leave = async () => {
    for (let step = undo.pop(); step !== undefined; step = undo.pop()) await step()
  }

  try {
    const instance = await startInstance(stack, {
      name,
      port: stack.port_base + apiPort,
      folder,
      extra: {
        LONGSHORE_CALLS_PER_MINUTE: '0',
        LONGSHORE_LOG_LEVEL: 'warn',
        ...(options.profile === undefined
          ? {}
          : { NODE_OPTIONS: `--cpu-prof --cpu-prof-interval=500 --cpu-prof-dir=${options.profile}` }),
      },
    })
    undo.push(() => instance.stop())
    const team = await makeFirstTeam(instance.url, { ...instance.env, NODE_OPTIONS: '' })
    const pids = {
      api: instance.api.child.pid,
      worker: instance.worker?.child.pid,
      postgres: stack.pids['postgres'],
      radosgw: stack.pids['radosgw'],
      osd: stack.pids['ceph-osd'],
      nginx: stack.pids['nginx'],
    }
    const watched = Object.fromEntries(
      Object.entries(pids).filter((pair): pair is [string, number] => pair[1] !== undefined),
    )
    const startSecondApi = async () => {
      const port = stack.port_base + secondApiPort
      const url = `http://127.0.0.1:${port}`
      const env = { ...instance.env, LONGSHORE_LISTEN: `127.0.0.1:${port}`, LONGSHORE_STORAGE_SELF_TEST: 'off' }
      const second = startScript('api', env, join(folder, 'second-api.log'))
      undo.push(() => second.stop())
      await untilReady(url, second)
      return { url, pid: second.child.pid ?? 0 }
    }
    let workers = 0
    let { worker } = instance
    undo.push(async () => worker?.stop())
    const restartWorker = async () => {
      await worker?.kill()
      worker = startScript('worker', instance.env, join(folder, `worker-${++workers}.log`))
    }
    return {
      site: {
        stack,
        url: instance.url,
        env: instance.env,
        folder,
        team,
        startSecondApi,
        restartWorker,
        watched,
        quick,
        packages,
        name,
      },
      leave,
    }
  } catch (error) {
    await leave()
    throw error
  }
}

/** With all that is in it: a run at full size leaves gigabytes. */
export async function removeBucket(stack: Stack, bucket: string): Promise<void> {
  const configuration = join(stack.data, 'ceph.conf')
  const args = ['-c', configuration, 'bucket', 'rm', `--bucket=${bucket}`, '--purge-objects', '--bypass-gc']
  await run({ file: 'radosgw-admin', args, cwd: stack.data }, '', 600)
}
