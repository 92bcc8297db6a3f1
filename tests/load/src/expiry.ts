import { setTimeout as sleep } from 'node:timers/promises'
import { insertPackages, storeBytes } from '@longshore/stack/longshore/bulk-packages'
import { runScript } from '@longshore/stack/longshore/server-process'
import { psql } from '@longshore/stack/postgres'
import type { Benchmark, Site } from './benchmark.ts'
import { timed } from './lanes.ts'

const full = { packages: 100_000, objects: 10_000, watched: 200 }
const quick = { packages: 1_000, objects: 1_000, watched: 50 }

/** How fast packages that end at one instant are written down as ended and their objects removed, with three kills. */
export const expiry: Benchmark = {
  name: 'expiry',
  about:
    'Packages of one file and one link each, written by SQL, end at one instant; the first 10,000 really have their object, the others only the row of one, which costs the purge the same request. A sample of links is opened right after the instant. The worker is killed three times on the way. Rates are over the whole time, kills and the waiting for what the dead held included.',
  async run(site) {
    const sizes = site.quick ? quick : full
    const [ask, count] = asking(site)
    const { packages } = sizes
    const made = await insertPackages(site.env['LONGSHORE_DATABASE_URL'] ?? '', {
      teamId: site.team.team_id,
      bucket: site.name,
      count: packages,
      expiry: new Date(Date.now() + 86_400_000),
    })
    await storeBytes(
      site.stack,
      site.name,
      made.slice(0, sizes.objects).map(({ key }) => key),
    )
    const end = new Date(Date.now() + 20_000 + packages / 5)
    await ask(`update packages set expiry = '${end.toISOString()}' where name = 'made by sql'`)
    await sleep(Math.max(0, end.getTime() - Date.now()) + 5)
    let open = 0
    const step = Math.floor(packages / sizes.watched)
    const beganAt = performance.now()
    for (let index = 0; index < packages; index += step) {
      const { linkId, id } = made[index] ?? { linkId: '', id: '' }
      const reply = await fetch(`${site.url}/v1/links/${linkId}?secret=${id}`)
      await reply.arrayBuffer()
      if (reply.status !== 410) open += 1
    }
    await ask(`insert into queue.job (name, data, retry_limit, expire_seconds, heartbeat_seconds, policy)
      select name, '{}', retry_limit, expire_seconds, heartbeat_seconds, policy
        from queue.queue where name = 'expire-due' on conflict do nothing`)

    const expired = () => count(`packages where name = 'made by sql' and state = 'expired'`)
    const since = end.toISOString()
    const purged = (last: boolean) =>
      count(`queue.job where name = 'purge-package' and state = 'completed' and created_on >= '${since}'
               and (data->>'last')::boolean = ${last}`)
    const secondsSince = () => (performance.now() - beganAt) / 1000
    await until(async () => (await expired()) >= packages / 2)
    await site.restartWorker()
    await until(async () => (await purged(false)) >= packages / 3)
    await site.restartWorker()
    await until(async () => (await expired()) === packages)
    const endedAfter = secondsSince()
    await until(async () => (await purged(false)) >= (packages * 2) / 3)
    await site.restartWorker()
    await until(async () => (await purged(false)) === packages)
    const purgedAfter = secondsSince()
    await ask(
      `update queue.job set start_after = now() where name = 'purge-package' and state = 'created' and created_on >= '${since}'`,
    )
    const second = await timed(() => until(async () => (await purged(true)) === packages))
    const { code, output } = await runScript('operate', site.env, ['reconcile', '--older-than', '0'])
    const found = JSON.parse(output.split('\n').find((line) => line.startsWith('{"objects"')) ?? '{}') as Record<
      string,
      number
    >
    const wrong = (found['orphans'] ?? 1) + (found['orphan_uploads'] ?? 1) + (found['missing'] ?? 1) + code
    return [
      { name: 'packages', value: packages, unit: '' },
      { name: 'of these with an object', value: Math.min(packages, sizes.objects), unit: '' },
      { name: 'links that open after the instant', value: open, unit: `of ${sizes.watched}`, goal: { atMost: 0 } },
      { name: 'all written down as ended after', value: endedAfter, unit: 's' },
      { name: 'all objects removed after', value: purgedAfter, unit: 's' },
      { name: 'ended and purged', value: packages / purgedAfter, unit: '/s' },
      { name: 'second pass', value: packages / second, unit: '/s' },
      { name: 'wrong by the reconciler', value: wrong, unit: '', goal: { atMost: 0 } },
    ]
  },
}

const asking = ({ env }: Site) => {
  const ask = (query: string) => psql(env['LONGSHORE_DATABASE_URL'] ?? '', query)
  return [ask, async (from: string) => Number(await ask(`select count(*) from ${from}`))] as const
}

// All of it takes minutes; a purge that stands still must end the run.
const patienceMs = 1_200_000

async function until(isSo: () => Promise<boolean>): Promise<void> {
  const deadline = Date.now() + patienceMs
  while (!(await isSo())) {
    if (Date.now() > deadline) throw new Error('It does not come about.')
    await sleep(250)
  }
}
