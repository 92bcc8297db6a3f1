import { realpathSync } from 'node:fs'
import { createClient } from '@longshore/client/client'
import { stopGracefully } from '@longshore/kit/lifecycle'
import { createLog } from '@longshore/kit/log'
import { createLanePool, type LanePool } from '@longshore/transfer/lane-pool'
import { createLimiter } from '@longshore/transfer/rate'
import { isLoopback } from '#api/safety'
import { createRepeats } from '#api/repeats'
import { createServer } from '#api/server'
import { openAutomations } from '#automations/automations'
import { createSession } from '#cloud/session'
import { openGateways } from '#gateway/gateways'
import { createOrderDesk } from '#gateway/order-desk'
import { clock } from '#host/clock'
import { createDiskId } from '#host/disk-id'
import { createDisks } from '#host/disks'
import { createHasher } from '#host/hasher'
import { createNetwork, type InterfaceUse, type Network } from '#host/network'
import { createReceive } from '#host/receive'
import { createSend } from '#host/send'
import { type Governed, governLimits } from '#settings/rate-limits'
import { openSettings, rulesFor, type Settings } from '#settings/settings'
import { leaveNote } from '#state/note'
import { openState } from '#state/open-state'
import { forgetUserToken, readUserToken, saveUserToken } from '#state/session'
import { openTransfers } from '#transfers/transfers'
import type { AgentConfig } from './config.ts'
import { version } from './version.ts'

/** Runs the agent until the process is told to end. */
export async function runAgent(config: AgentConfig): Promise<void> {
  const log = createLog('longshore-agent', config.logLevel)
  const { apiKey, token, ...shown } = config
  log.info({ ...shown, version, api_key_set: apiKey !== undefined, token_set: token !== undefined }, 'starting')

  const db = openState(config.dataDir)
  const dataDir = realpathSync(config.dataDir)
  const now = () => new Date()
  const client = createClient({ baseUrl: config.cloudUrl })
  const settings = openSettings(db)
  const tokens = {
    read: () => readUserToken(db),
    save: (userToken: string) => void saveUserToken(db, userToken),
    forget: () => void forgetUserToken(db),
  }
  const session = createSession(client, tokens, apiKey)

  const hasher = createHasher()
  const disks = createDisks({ idOf: createDiskId(), rulesFor: (id) => turnsOf(settings, id) })
  const lanes = openLanes(settings)
  const limiters = { up: createLimiter(clock), down: createLimiter(clock) }
  const network = openNetwork(settings)
  settings.onChange((name) => {
    if (name === 'workers') boundLanes(lanes, settings)
    if (name === 'disks' || name === 'disk_default') disks.rulesChanged()
    if (name === 'multiconnect' || name === 'interfaces_off') useInterfaces(network, settings)
  })
  const endLimits = governLimits({
    settings,
    clock,
    now: Date.now,
    governed: () => [
      { way: 'upload', set: limiters.up.set },
      { way: 'download', set: limiters.down.set },
      ...network.interfaces().flatMap(({ id }) => governedOn(network, id)),
    ],
  })

  const desk = createOrderDesk()
  const transfers = openTransfers({
    db,
    log,
    client,
    session,
    settings,
    clock,
    now,
    lanes,
    limiters,
    send: createSend({ network, disks, hasher }),
    receive: createReceive({ network, disks }),
    hasher,
    askForFiles: desk.askForFiles,
    dataDir,
    chunkSize: config.chunkSize,
    autoFinalize: config.autoFinalize,
    autoResume: config.autoResume,
    streams: { plannedSize: config.largestStream, lookEveryMs: config.minuteMs / 60 },
  })
  const automations = openAutomations({
    db,
    log,
    client,
    session,
    transfers,
    clock,
    now,
    dataDir,
    minuteMs: config.minuteMs,
    autoFinalize: config.autoFinalize,
  })
  const { cloudUrl, chunkSize, autoFinalize, autoResume } = config
  const gateways = openGateways({ db, log, clock, cloudUrl, dataDir, transfers, desk })
  const app = await createServer(
    {
      session,
      settings,
      transfers,
      automations,
      gateways,
      disks,
      repeats: createRepeats(db, now),
      interfaces: { list: () => network.interfaces().map(shownInterface) },
      now,
      about: { version, startedAt: now(), cloudUrl, dataDir, chunkSize, autoFinalize, autoResume },
    },
    { token, loopbackOnly: isLoopback(config.host) },
    log,
  )

  let removeNote = () => {}
  stopGracefully(
    log,
    async () => {
      removeNote()
      endLimits()
      // A connection that had a call under way is kept alive behind its answer and would hold up the end.
      const hangUp = setInterval(() => app.server.closeIdleConnections(), 100)
      await Promise.all([app.close(), Promise.all([automations.close(), gateways.close()]).then(transfers.close)])
      clearInterval(hangUp)
      network.close()
      await hasher.close()
      db.close()
    },
    longestFarewellMs,
  )

  await app.listen({ host: config.host.replaceAll(/^\[|\]$/g, ''), port: config.port })
  const { port } = app.server.address() as { port: number }
  const url = `http://${config.host}:${port}`
  removeNote = leaveNote(dataDir, { url, pid: process.pid, ...noteOf(config) })
  log.info({ url }, 'serving')
}

// Requests end at once when they are told to; only a disk that hangs takes longer.
const longestFarewellMs = 5_000

const noteOf = ({ tokenFile }: AgentConfig) => (tokenFile === undefined ? {} : { token_file: tokenFile })

function openNetwork(settings: Settings): Network {
  const network = createNetwork({ clock })
  useInterfaces(network, settings)
  return network
}

function useInterfaces(network: Network, settings: Settings): void {
  const off = settings.value('interfaces_off')
  for (const { id } of network.interfaces()) network.enable(id, !off.includes(id))
  // Also one that comes later.
  for (const id of off) network.enable(id, false)
  network.setMulticonnect(settings.value('multiconnect'))
}

const governedOn = (network: Network, id: string): readonly Governed[] => [
  { way: 'upload', interfaceId: id, set: (rate) => network.limit(id, 'up', rate) },
  { way: 'download', interfaceId: id, set: (rate) => network.limit(id, 'down', rate) },
]

const shownInterface = ({ id, addresses, activeChunks, up, down }: InterfaceUse) => ({
  id,
  name: id,
  addresses: [...addresses],
  active_chunks: activeChunks,
  tx_bps: Math.round(up * 8),
  rx_bps: Math.round(down * 8),
})

type Lanes = Readonly<Record<'up' | 'down', LanePool>>

function openLanes(settings: Settings): Lanes {
  const { upload, download } = settings.value('workers')
  return {
    up: createLanePool(clock, { least: 1, most: upload, first: upload }),
    down: createLanePool(clock, { least: 1, most: download, first: download }),
  }
}

function boundLanes(lanes: Lanes, settings: Settings): void {
  const { upload, download } = settings.value('workers')
  lanes.up.bound(1, upload)
  lanes.down.bound(1, download)
}

function turnsOf(settings: Settings, diskId: string) {
  const {
    priority,
    max_concurrent_readers: maxReaders,
    max_concurrent_writers: maxWriters,
  } = rulesFor(settings, diskId)
  return { priority, maxReaders, maxWriters }
}
