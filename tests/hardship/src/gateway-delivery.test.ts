import assert from 'node:assert/strict'
import { mkdir, readdir, realpath } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { listGateways, registerGateway } from '@longshore/contract/agent/gateway'
import { setDownloadLimit, setWorkers } from '@longshore/contract/agent/settings'
import { createConnection, readTransfer, startTransfer } from '@longshore/contract/cloud/connections'
import { MiB } from '@longshore/contract/limits'
import { newAgentGround, sha256Of } from '#agent-ground'
import { until } from '#ground'
import { sendInspected } from '#inspected-package'

// Small in the gate; GATEWAY_MIB=2048 shows the same with 2 GiB.
const totalMiB = Number(process.env['GATEWAY_MIB'] ?? 32)
const fileMiB = Math.min(96, totalMiB / 4)
// So fast that there is a middle to be killed in.
const bytesPerSecond = (totalMiB * MiB) / (totalMiB > 512 ? 60 : 8)
// Few, so that what is fetched twice after a kill is little of the whole also in the gate.
const workers = 2
// As the engine cuts files of this size.
const stretch = Math.min(64, Math.max(8, Math.ceil(fileMiB / 64))) * MiB

test(`agent, api and worker killed over a delivery of ${totalMiB} MiB to a storage gateway: it arrives once and whole`, {
  timeout: 3_600_000,
}, async (t) => {
  const one = await newAgentGround(t)
  const { ground, proxy, folder } = one
  const { pkg, files } = await sendInspected(ground, totalMiB, fileMiB)
  await mkdir(join(folder, 'nas'))
  const root = await realpath(join(folder, 'nas'))

  const about = { name: 'NAS', provider: 'storage_gateway', direction: 'export' } as const
  const { id, secret = '' } = await ground.client.call(createConnection, {
    params: { team_id: ground.team.team_id },
    body: about,
  })
  const isConnected = async () => (await one.local().call(listGateways)).connections[0]?.state === 'connected'
  await one.local().call(registerGateway, {
    body: { id, secret, name: 'NAS', permissions: 'w', root_path: root },
  })
  await until('the gateway is connected', isConnected, 30)
  const limit = { rate_limit_bps: Math.round(bytesPerSecond * 8), enabled: true }
  await one.local().call(setDownloadLimit, { body: limit })
  await one.local().call(setWorkers, { body: { upload: workers, download: workers } })

  const before = proxy.bytes.down
  const begunAt = performance.now()
  const { id: transfer_id, access_token } = await ground.client.call(
    startTransfer,
    { params: { package_id: pkg.id }, body: { cloud_connection_id: id } },
    { credential: pkg.token },
  )
  const look = () =>
    ground.client.call(readTransfer, { params: { transfer_id } }, { credential: { transferToken: access_token } })
  const fetched = (share: number) => async () => proxy.bytes.down - before > share * totalMiB * MiB
  const patience = 60 + totalMiB

  const worker = ground.startWorker()
  await until('a fifth has come', fetched(0.2), patience)
  await one.kill()
  await one.start()
  await until('two fifths have come', fetched(0.4), patience)
  await ground.api.kill()
  await ground.startApi()
  await until('the agent is back', isConnected, 60)
  const [lease] = await ground.ask(
    `select due <= now() + interval '40 seconds' from transfers where id = '${transfer_id}'`,
  )
  assert.equal(lease, 't', 'it would not be ordered again within the minute that we promise')
  // That time is not waited for.
  await ground.ask(`update transfers set due = now() where id = '${transfer_id}'`)
  await until('three fifths have come', fetched(0.6), patience)
  await worker.kill()
  await one.kill()
  await one.start()
  await until('the delivery is complete', async () => (await look()).state === 'complete', patience)
  const seconds = (performance.now() - begunAt) / 1000

  const { progress, size } = await look()
  assert.deepEqual([progress, size], [totalMiB * MiB, totalMiB * MiB])
  const into = join(root, `Rushes-${pkg.id.slice(-8)}`)
  assert.deepEqual((await readdir(into)).sort(), [...files.keys()].sort(), 'and nothing is left beside them')
  for (const [name, { sha256 }] of files) assert.equal(await sha256Of(join(into, name)), sha256, name)
  const bytesOnce = proxy.bytes.down
  // As it would be if the API had died over the word that it is delivered.
  await ground.ask(`update transfers set state = 'started', due = now() where id = '${transfer_id}'`)
  await until('it is told again', async () => (await look()).state === 'complete', 30)
  assert.equal(proxy.bytes.down, bytesOnce, 'and nothing is fetched again')
  assert.deepEqual((await readdir(into)).sort(), [...files.keys()].sort())

  const again = (proxy.bytes.down - before) / MiB - totalMiB
  t.diagnostic(
    `${seconds.toFixed(0)} s for ${totalMiB} MiB with four kills; ${again.toFixed(1)} MiB were fetched twice`,
  )
  // Two kills of the agent; what was on its way then is all that comes again.
  assert.ok(again <= (2 * workers * stretch) / MiB + 1, `${again} MiB were fetched twice`)
})
