import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readEvents } from '#server-events'

function streamOf(pieces: readonly Uint8Array[]): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start(controller) {
      for (const piece of pieces) controller.enqueue(piece)
      controller.close()
    },
  })
}

const text = `retry: 2000

id: 1-0
event: package.created
data: {"name":"Überfahrt 🚢"}

:

event: package.progress
data: one
data: two

id: 2-0
event: package.finalized
data: {}

event: cut off
data: {`

const expected = [
  { id: '1-0', type: 'package.created', data: '{"name":"Überfahrt 🚢"}' },
  { id: '1-0', type: 'package.progress', data: 'one\ntwo' },
  { id: '2-0', type: 'package.finalized', data: '{}' },
]

test('events are read whole, wherever the network cuts them', async () => {
  const bytes = new TextEncoder().encode(text)
  for (const size of [1, 2, 3, 7, 50, bytes.length]) {
    const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_, nth) =>
      bytes.subarray(nth * size, (nth + 1) * size),
    )
    assert.deepEqual(await Array.fromAsync(readEvents(streamOf(pieces))), expected, `in pieces of ${size}`)
  }
})

test('who has enough lets go of the connection', async () => {
  let cancelled = false
  const endless = new ReadableStream<Uint8Array>({
    pull: (controller) => controller.enqueue(new TextEncoder().encode('data: x\n\n')),
    cancel: () => void (cancelled = true),
  })
  for await (const { data } of readEvents(endless)) {
    assert.equal(data, 'x')
    break
  }
  assert.ok(cancelled)
})
