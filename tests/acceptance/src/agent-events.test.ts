import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after } from 'node:test'
import { readEvents, type ServerEvent } from '@longshore/client/server-events'
import { followTransfers, TransferEvent } from '@longshore/contract/agent/events'
import { setUploadLimit } from '@longshore/contract/agent/settings'
import { deleteUpload, listUploads, startUpload } from '@longshore/contract/agent/uploads'
import { MiB } from '@longshore/contract/limits'
import { Compile } from 'typebox/compile'
import { isIn, makeFiles, startAgent, untilUpload } from '#agent'
import { show, use } from '#calls'
import { test } from '#record'
import { target } from '#target'

const agent = await startAgent()
const isEvent = Compile(TransferEvent)

/** Follows the events from now on, or behind one, and answers what came. */
async function follow(lastEventId?: string) {
  const stop = new AbortController()
  after(() => stop.abort())
  const response = await fetch(`${agent.url}/api/v1/events`, {
    signal: stop.signal,
    ...(lastEventId === undefined ? {} : { headers: { 'last-event-id': lastEventId } }),
  })
  assert.ok(response.body !== null)
  const heard: (ServerEvent & { at: number })[] = []
  const reading = (async () => {
    for await (const event of readEvents(response.body as ReadableStream<Uint8Array>)) {
      heard.push({ ...event, at: Date.now() })
    }
  })().catch(() => undefined)
  return { heard, stop: () => (stop.abort(), reading) }
}

/** Waits until something was heard. */
async function until(isSo: () => boolean): Promise<void> {
  for (const deadline = Date.now() + 30_000; !isSo(); ) {
    assert.ok(Date.now() < deadline, 'what should have been told was not')
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

const begin = (size: number) =>
  use(startUpload, { body: { team_id: target.team_id, paths: [makeFiles({ 'a.bin': randomBytes(size) })] } }, agent.at)

const stateIn = ({ data }: ServerEvent) => (JSON.parse(data) as { transfer: { state: string } }).transfer.state

test('states and progress are told, progress at most once a second, and every event is as declared', async () => {
  await show(followTransfers, {}, agent.at)
  const { heard, stop } = await follow()
  await use(setUploadLimit, { body: { rate_limit_bps: 8 * MiB, enabled: true } }, agent.at)
  const { upload_id } = await begin(3 * MiB)
  await untilUpload(agent, upload_id, isIn('complete'))
  await until(() => heard.some((event) => event.type === 'transfer.changed' && stateIn(event) === 'complete'))
  await stop()

  for (const { data } of heard) assert.ok(isEvent.Check(JSON.parse(data)), data)
  const changes = heard.filter(({ type }) => type === 'transfer.changed').map(stateIn)
  assert.deepEqual([changes[0], changes.at(-1)], ['transferring', 'complete'])
  const progress = heard.filter(({ type }) => type === 'transfer.progress').map(({ at }) => at)
  assert.ok(progress.length > 0, 'three seconds of upload told no progress')
  const span = (progress.at(-1) ?? 0) - (progress[0] ?? 0)
  assert.ok(progress.length <= span / 1_000 + 2, `${progress.length} in ${span} ms`)
  assert.equal(new Set(heard.map(({ id }) => id)).size, heard.length)
})

test('who comes back hears what they missed; who was away too long hears everything anew', async () => {
  const first = await follow()
  const { upload_id } = await begin(10)
  await until(() => first.heard.some((event) => stateIn(event) === 'complete'))
  await first.stop()
  await use(deleteUpload, { params: { upload_id } }, agent.at)

  const missed = await follow(first.heard.at(-1)?.id)
  await until(() => missed.heard.length > 0)
  await missed.stop()
  assert.equal(missed.heard[0]?.type, 'transfer.removed')
  assert.deepEqual(JSON.parse(missed.heard[0].data), { kind: 'upload', id: upload_id })

  const anew = await follow('of-another-process.1')
  const { total } = await use(listUploads, {}, agent.at)
  await until(() => anew.heard.length >= total)
  await anew.stop()
  assert.ok(anew.heard.every(({ type }) => type === 'transfer.changed'))
})
