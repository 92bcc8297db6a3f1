import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { test, type TestContext } from 'node:test'
import { testStack } from '#test-kit/stack'
import { eicar } from '#test-kit/eicar'
import { clamd, type Scanner, ScannerTrouble } from './scanner.ts'

const scanner = clamd(testStack().clamd)

async function scan(by: Scanner, pieces: readonly Uint8Array[]) {
  const running = await by.open()
  for (const piece of pieces) await running.write(piece)
  return running.verdict()
}

/** Somebody who answers a connection like this, whatever is sent. */
async function answering(t: TestContext, answer: string | undefined): Promise<Scanner> {
  const server = createServer((socket) => {
    socket.on('error', () => {})
    if (answer === undefined) socket.destroy()
    else socket.once('data', () => socket.end(answer))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close())
  return clamd({ host: '127.0.0.1', port: (server.address() as AddressInfo).port })
}

test('clean bytes are clean, also none at all and many', async () => {
  assert.deepEqual(await scan(scanner, []), { kind: 'clean' })
  assert.deepEqual(await scan(scanner, [Buffer.from('harmless'), Buffer.alloc(0)]), { kind: 'clean' })
  assert.deepEqual(await scan(scanner, Array(64).fill(Buffer.alloc(256 * 1024, 'x'))), { kind: 'clean' })
})

test('a virus is found, also across two pieces and behind many bytes', async () => {
  const infected = { kind: 'infected', virus: 'Eicar-Test-Signature.UNOFFICIAL' }
  const half = eicar.length / 2
  assert.deepEqual(await scan(scanner, [eicar]), infected)
  assert.deepEqual(await scan(scanner, [eicar.subarray(0, half), eicar.subarray(half)]), infected)
  assert.deepEqual(await scan(scanner, [Buffer.alloc(20 * 1024 * 1024), eicar]), infected)
})

test('what the scanner would pass unseen is above its limit', () => {
  assert.equal(scanner.limit, 2_000_000_000)
  assert.equal(clamd(testStack().clamd, Number.MAX_SAFE_INTEGER).limit, 2_000_000_000)
})

test('a stream that was too long, or an archive too deep, is not called clean', async (t) => {
  const limits = 'INSTREAM size limit exceeded. ERROR\0'
  assert.deepEqual(await scan(await answering(t, limits), [Buffer.alloc(1_000_000)]), {
    kind: 'not_scanned',
    why: 'INSTREAM size limit exceeded. ERROR',
  })
  const heuristics = 'stream: Heuristics.Limits.Exceeded.MaxScanSize FOUND\0'
  assert.equal((await scan(await answering(t, heuristics), [])).kind, 'not_scanned')
})

test('a scanner that is away, goes away or says something else says nothing about the stream', async (t) => {
  const closed = createServer().listen(0, '127.0.0.1')
  await once(closed, 'listening')
  const { port } = closed.address() as AddressInfo
  closed.close()
  await assert.rejects(clamd({ host: '127.0.0.1', port }).open(), ScannerTrouble)
  await assert.rejects(async () => scan(await answering(t, undefined), [Buffer.alloc(1_000_000)]), ScannerTrouble)
  await assert.rejects(async () => scan(await answering(t, 'stream: out of memory ERROR\0'), []), ScannerTrouble)
})

test('a scan that is given up leaves no connection', async () => {
  const running = await scanner.open()
  await running.write(Buffer.from('half of'))
  running.abort()
  running.abort()
  await assert.rejects(running.verdict(), ScannerTrouble)
})
