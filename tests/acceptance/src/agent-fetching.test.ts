import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { after } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import * as wire from '@longshore/contract/agent/automations'
import { deletePackage } from '@longshore/contract/cloud/packages'
import { makeFolder, startAgent } from '#agent'
import { aWhile, automationOf, eventually, inShortMinutes, minuteMs, restarted } from '#automations'
import { show, use } from '#calls'
import { packageToken } from '#mint'
import { makePortal, sendTo } from '#portals'
import { test } from '#record'
import { target } from '#target'
import { finalize, type Package, upload } from '#walk'

const agent = await startAgent({ args: inShortMinutes })

test('new packages of a Portal, and of all Portals, are fetched, each once', async () => {
  const portal = await makePortal()
  const before = await sendTo(portal)
  await upload(before, Buffer.from('before'), { name: 'before.txt' })
  await finalize(before)
  const since = new Date().toISOString()
  const [one, all] = [makeFolder(), makeFolder()]
  await show(
    wire.createPortalDownload,
    { body: { name: 'One', portal_subdomain: portal.subdomain, dst_folder: one, create_package_folder: false } },
    agent.at,
  )
  const everything = { name: 'All', team_id: target.team_id, dst_folder: all, create_portal_subfolder: true }
  const { automation_id } = await show(
    wire.createAllPortalsDownload,
    { body: { ...everything, effective_time: since, download_priority: 1 } },
    agent.at,
  )
  const pkg = await sendTo(portal)
  await upload(pkg, Buffer.from('after'), { name: 'after.txt', path: 'reel' })
  await sleep(minuteMs)
  assert.deepEqual(readdirSync(one), [], 'not before it is finished')
  await finalize(pkg)
  const files = async () => [
    ...readdirSync(one, { recursive: true, encoding: 'utf8' }),
    ...readdirSync(all, { recursive: true, encoding: 'utf8' }),
  ]
  await eventually(
    'both have it',
    async () => (await files()).filter((path) => path.endsWith('after.txt')).length === 2,
  )
  assert.equal(readFileSync(join(one, 'reel/after.txt'), 'utf8'), 'after')
  const place = join(all, portal.name, pkg.name, 'reel/after.txt')
  assert.equal(readFileSync(place, 'utf8'), 'after')
  await restarted(agent)
  await aWhile()
  // Other tests send to Portals of the same Team meanwhile, and their packages come too.
  const ours = (path: string) => path.endsWith('.txt') && (path.startsWith(portal.name) || path.startsWith('reel'))
  assert.deepEqual(
    (await files()).filter(ours).sort(),
    [join(portal.name, pkg.name, 'reel/after.txt'), 'reel/after.txt'].sort(),
    'nothing from before, and nothing twice',
  )
  await use(wire.deleteAutomation, { params: { type: 'all_portals_download', automation_id } }, agent.at)
})

test('a package that was given up before it was finished keeps no other from being fetched', async () => {
  const portal = await makePortal()
  const folder = makeFolder()
  const body = {
    name: 'All but one',
    portal_subdomain: portal.subdomain,
    dst_folder: folder,
    create_package_folder: false,
  }
  const { automation_id } = await use(wire.createPortalDownload, { body }, agent.at)
  const givenUp = await sendTo(portal)
  const as = { packageToken: packageToken({ ...givenUp, team_id: target.team_id }, 'manage') }
  await use(deletePackage, { params: { package_id: givenUp.id } }, { as })
  await aWhile()
  assert.equal((await automationOf(agent, automation_id)).last_error, '')
  const pkg = await sendTo(portal)
  await upload(pkg, Buffer.from('kept'), { name: 'kept.txt' })
  await finalize(pkg)
  await eventually('the other has come', async () => readdirSync(folder).includes('kept.txt'))
})

/** Stands before the cloud and notes what is asked of it. */
async function listeningIn(): Promise<{ url: string; asked: URL[] }> {
  const asked: URL[] = []
  const server = createServer((incoming, outgoing) => {
    const url = new URL(incoming.url ?? '/', target.cloud_url)
    asked.push(url)
    const passed = request(
      url,
      { method: incoming.method, headers: { ...incoming.headers, host: url.host } },
      (reply) => {
        outgoing.writeHead(reply.statusCode ?? 502, reply.headers)
        reply.pipe(outgoing)
      },
    )
    passed.on('error', () => outgoing.destroy())
    incoming.pipe(passed)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  after(() => void server.close())
  after(() => server.closeAllConnections())
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked }
}

test('whoever fetches asks for what is new, and misses nothing that was begun long ago, or before', async () => {
  const portal = await makePortal({ has_download_password: true, download_password: 'for recipients' })
  const send = async (name: string, pkg?: Package) => {
    const begun = pkg ?? (await sendTo(portal))
    await upload(begun, Buffer.from(name), { name })
    await finalize(begun)
  }
  await send('early.txt')
  const since = new Date().toISOString()
  const begunLongAgo = await sendTo(portal)
  for (let n = 0; n < 52; n += 13) await Promise.all(Array.from({ length: 13 }, (_, i) => send(`${n + i}.txt`)))
  const folder = makeFolder()
  const cloud = await listeningIn()
  const body = { name: 'New', portal_subdomain: portal.subdomain, dst_folder: folder, create_package_folder: false }
  let fetching = await startAgent({ args: inShortMinutes, cloudUrl: cloud.url })
  const made = await use(wire.createPortalDownload, { body: { ...body, effective_time: since } }, fetching.at)
  const arrived = (count: number) =>
    eventually(
      `${count} have come`,
      async () => readdirSync(folder).filter((name) => name.endsWith('.txt')).length === count,
    )
  await arrived(52)
  await sleep(2 * minuteMs)
  await fetching.stop('SIGKILL')
  cloud.asked.length = 0
  fetching = await fetching.again({ args: inShortMinutes, cloudUrl: cloud.url })
  await sleep(2 * minuteMs)
  const lists = cloud.asked.filter(({ pathname }) => pathname.endsWith('/packages'))
  assert.ok(lists.length > 1)
  for (const { searchParams } of lists) assert.ok((searchParams.get('finalized_at_start') ?? '') > since)

  await send('late.txt', begunLongAgo)
  await arrived(53)
  const change = { effective_time: new Date(Date.parse(since) - 3_600_000).toISOString() }
  await use(wire.updatePortalDownload, { params: { automation_id: made.automation_id }, body: change }, fetching.at)
  await arrived(54)
  await sleep(2 * minuteMs)
  assert.equal(readFileSync(join(folder, 'early.txt'), 'utf8'), 'early.txt')
  assert.equal(readdirSync(folder).length, 54, 'and nothing twice')
})
