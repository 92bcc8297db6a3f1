import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtemp } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { dropDatabase } from '@longshore/stack/longshore/database'
import { startInstance } from '@longshore/stack/longshore/instance'
import { readStack } from '@longshore/stack/stack'

interface Traces {
  readonly resourceSpans: {
    readonly scopeSpans: {
      readonly spans: { readonly name: string; readonly traceId: string; readonly kind: number }[]
    }[]
  }[]
}

test('with a collector configured, a request leaves a span with its database calls in one trace', async (t) => {
  const spans: { name: string; traceId: string }[] = []
  const collector = createServer((request, response) => {
    const pieces: Buffer[] = []
    request.on('data', (piece: Buffer) => pieces.push(piece))
    request.on('end', () => {
      const traces = JSON.parse(Buffer.concat(pieces).toString()) as Traces
      spans.push(...traces.resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans)))
      response.end('{}')
    })
  }).listen(0, '127.0.0.1')
  await once(collector, 'listening')
  t.after(() => collector.close())

  const stackFile = process.env['LONGSHORE_STACK']
  assert.ok(stackFile, 'LONGSHORE_STACK names no stack: run this by npm test -- hardship')
  const stack = await readStack(dirname(stackFile))
  const name = `telemetry-${process.pid}`
  const instance = await startInstance(stack, {
    name,
    port: stack.port_base + 18,
    folder: await mkdtemp(join(tmpdir(), 'telemetry-')),
    worker: false,
    extra: { LONGSHORE_OTLP_ENDPOINT: `http://127.0.0.1:${(collector.address() as AddressInfo).port}` },
  })
  t.after(async () => {
    await instance.stop()
    await dropDatabase(stack, name.replaceAll('-', '_'))
  })

  const reply = await fetch(`${instance.url}/v1/users/me`, { headers: { 'x-api-key': 'nobody knows me' } })
  assert.equal(reply.status, 401)
  // Ending the process sends what is still in its hands.
  await instance.stop()

  const call = spans.find((span) => span.name === 'GET /v1/users/me')
  assert.ok(call, `no span of the call among: ${spans.map((span) => span.name).join(', ')}`)
  const together = spans.filter((span) => span.traceId === call.traceId).map((span) => span.name)
  assert.ok(
    together.some((spanName) => spanName.startsWith('pg.query')),
    `the trace has no database call: ${together.join(', ')}`,
  )
})
