import * as wire from '@longshore/contract/agent/settings'
import { Refusal } from '@longshore/kit/refusal'
import { shownLimit } from '#settings/rate-limits'
import { limitOf, type NewLimit, rulesFor, setLimit } from '#settings/settings'
import type { Way } from '#settings/values'
import { type Agent, route } from './route.ts'

/** Every disk that is in use or has a configuration of its own. */
function disksOf({ settings, disks }: Agent) {
  const use = disks.use()
  const ids = new Set([...use.keys(), ...Object.keys(settings.value('disks'))])
  return [...ids].sort().map((id) => ({
    disk_id: id,
    active_read_jobs: use.get(id)?.readers ?? 0,
    active_write_jobs: use.get(id)?.writers ?? 0,
    ...rulesFor(settings, id),
  }))
}

const multiconnect = ({ settings, interfaces }: Agent) => ({
  enabled: settings.value('multiconnect'),
  interfaces: interfaces.list().map((one) => ({ ...one, enabled: !settings.value('interfaces_off').includes(one.id) })),
})

function mustKnow(agent: Agent, id: string) {
  const known = multiconnect(agent).interfaces.find((one) => one.id === id)
  if (known === undefined) throw new Refusal('interface_not_found', `This host has no network interface '${id}'.`)
  return known
}

function readLimit(agent: Agent, way: Way, interfaceId?: string) {
  if (interfaceId !== undefined) mustKnow(agent, interfaceId)
  return shownLimit(limitOf(agent.settings, way, interfaceId), agent.now().getTime())
}

function changeLimit(agent: Agent, given: NewLimit, way: Way, interfaceId?: string) {
  if (interfaceId !== undefined) mustKnow(agent, interfaceId)
  return shownLimit(setLimit(agent.settings, given, way, interfaceId), agent.now().getTime())
}

export const settingRoutes = [
  route(wire.readDiskDefault, ({ settings }) => settings.value('disk_default')),
  route(wire.setDiskDefault, ({ settings }, { body }) => {
    const { priority, max_concurrent_readers, max_concurrent_writers } = body
    settings.set('disk_default', { priority, max_concurrent_readers, max_concurrent_writers })
    return settings.value('disk_default')
  }),
  route(wire.diskStatus, disksOf),
  route(wire.setDiskConfigs, ({ settings }, { body }) => {
    settings.set('disks', { ...settings.value('disks'), ...body })
    return { ...settings.value('disks') }
  }),

  route(wire.readFifoMode, ({ settings }) => settings.value('fifo')),
  route(wire.setFifoMode, ({ settings }, { body }) => {
    const { enabled, active_upload_count, active_download_count } = body
    settings.set('fifo', { enabled, active_upload_count, active_download_count })
    return settings.value('fifo')
  }),
  route(wire.readWorkers, ({ settings }) => settings.value('workers')),
  route(wire.setWorkers, ({ settings }, { body: { upload, download } }) => {
    settings.set('workers', { upload, download })
    return settings.value('workers')
  }),

  route(wire.multiconnectStatus, multiconnect),
  route(wire.setMulticonnect, (agent, { body }) => {
    agent.settings.set('multiconnect', body.enabled)
    return multiconnect(agent)
  }),
  route(wire.setInterface, (agent, { params, body }) => {
    const { id } = mustKnow(agent, params.iface_id)
    const others = agent.settings.value('interfaces_off').filter((other) => other !== id)
    agent.settings.set('interfaces_off', body.enabled ? others : [...others, id])
    return mustKnow(agent, id)
  }),

  route(wire.readUploadLimit, (agent) => readLimit(agent, 'upload')),
  route(wire.setUploadLimit, (agent, { body }) => changeLimit(agent, body, 'upload')),
  route(wire.readDownloadLimit, (agent) => readLimit(agent, 'download')),
  route(wire.setDownloadLimit, (agent, { body }) => changeLimit(agent, body, 'download')),
  route(wire.readInterfaceUploadLimit, (agent, { params }) => readLimit(agent, 'upload', params.iface_id)),
  route(wire.setInterfaceUploadLimit, (agent, { params, body }) => changeLimit(agent, body, 'upload', params.iface_id)),
  route(wire.readInterfaceDownloadLimit, (agent, { params }) => readLimit(agent, 'download', params.iface_id)),
  route(wire.setInterfaceDownloadLimit, (agent, { params, body }) =>
    changeLimit(agent, body, 'download', params.iface_id),
  ),
]
