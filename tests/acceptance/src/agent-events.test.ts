import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import type { ServerEvent } from '@longshore/client/server-events'
import { followTransfers, TransferEvent } from '@longshore/contract/agent/events'
import { setUploadLimit } from '@longshore/contract/agent/settings'
import { deleteUpload, listUploads, startUpload } from '@longshore/contract/agent/uploads'
import { teamEvents } from '@longshore/contract/cloud/realtime'
import { MiB } from '@longshore/contract/limits'
import { Compile } from 'typebox/compile'
import { isIn, makeFiles, startAgent, untilUpload } from '#agent'
import { use } from '#calls'
import { listen, until } from '#listening'
import { test } from '#record'
import { target } from '#target'

const agent = await startAgent()
const here = { at: agent.url }
const isEvent = Compile(TransferEvent)

const begin = (size: number) =>
  use(startUpload, { body: { team_id: target.team_id, paths: [makeFiles({ 'a.bin': randomBytes(size) })] } }, agent.at)

const stateIn = ({ data }: ServerEvent) => (JSON.parse(data) as { transfer: { state: string } }).transfer.state

test('states and progress are told, here and in the cloud, progress at most once a second', async (t) => {
  const { events } = await listen(t, followTransfers, {}, here)
  const params = { team_id: target.team_id }
  const cloud = await listen(t, teamEvents, { params }, { as: { apiKey: target.api_key } })
  await use(setUploadLimit, { body: { rate_limit_bps: 8 * MiB, enabled: true } }, agent.at)
  const beganAt = Date.now()
  const { upload_id, package_id } = await begin(4 * MiB)
  await untilUpload(agent, upload_id, isIn('complete'))
  await until('told complete', () => events.some((event) => stateIn(event) === 'complete'))
  const seconds = (Date.now() - beganAt) / 1_000

  for (const { data } of events) assert.ok(isEvent.Check(JSON.parse(data)), data)
  const changes = events.filter(({ type }) => type === 'transfer.changed').map(stateIn)
  assert.deepEqual([changes[0], changes.at(-1)], ['transferring', 'complete'])
  const progress = events.filter(({ type }) => type === 'transfer.progress').length
  assert.ok(progress > 0 && progress <= seconds + 1, `${progress} in ${seconds} s`)
  assert.equal(new Set(events.map(({ id }) => id)).size, events.length)

  const told = cloud.events
    .filter(({ type }) => type === 'package.progress')
    .map(({ data }) => JSON.parse(data) as { package_id: string; uploaded_bytes: number })
    .filter((one) => one.package_id === package_id)
  assert.ok(
    told.some(({ uploaded_bytes }) => uploaded_bytes > 0 && uploaded_bytes < 4 * MiB),
    `the cloud heard ${JSON.stringify(told)}`,
  )
})

test('who comes back hears what they missed; who was away too long hears everything anew', async (t) => {
  const first = await listen(t, followTransfers, {}, here)
  const { upload_id } = await begin(10)
  await until('complete', () => first.events.some((event) => stateIn(event) === 'complete'))
  first.close()
  await use(deleteUpload, { params: { upload_id } }, agent.at)

  const lastEventId = first.events.at(-1)?.id ?? ''
  const missed = await listen(t, followTransfers, {}, { ...here, lastEventId })
  await until('what was missed', () => missed.events.length > 0)
  assert.equal(missed.events[0]?.type, 'transfer.removed')
  assert.deepEqual(missed.last('transfer.removed'), { kind: 'upload', id: upload_id })

  const { total } = await use(listUploads, {}, agent.at)
  const anew = await listen(t, followTransfers, {}, { ...here, lastEventId: 'of-another-process.1' })
  await until('everything', () => anew.events.length >= total)
  assert.ok(anew.types().every((type) => type === 'transfer.changed'))
})
