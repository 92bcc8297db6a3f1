import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { createHash, generateKeyPairSync, randomBytes } from 'node:crypto'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { type TestContext, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { CompactSign, exportJWK, type JSONWebKeySet } from 'jose'
import type { Waybill, WaybillFile } from '#waybill'

interface Signer {
  readonly kid: string
  readonly keys: JSONWebKeySet
  /** The waybill with its signature in it, as a server delivers it. */
  sign(waybill: object, typ?: string): Promise<Record<string, unknown>>
}

async function newSigner(kid: string): Promise<Signer> {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  return {
    kid,
    keys: { keys: [{ ...(await exportJWK(publicKey)), kid, use: 'sig', alg: 'EdDSA' }] },
    async sign(waybill, typ = 'longshore-waybill+jws') {
      const { files = [], ...rest } = waybill as Partial<Waybill>
      const lines = [...files, rest].map(
        (part) => `${JSON.stringify(part)}
`,
      )
      const payload = { waybill: `sha256:${createHash('sha256').update(lines.join('')).digest('hex')}` }
      const signature = await new CompactSign(Buffer.from(JSON.stringify(payload)))
        .setProtectedHeader({ alg: 'EdDSA', kid, typ })
        .sign(privateKey)
      return { ...waybill, signature }
    },
  }
}

const fileOf = (path: string, bytes: Buffer): WaybillFile => ({
  path,
  size: bytes.length,
  last_modified: '2026-01-02T03:04:05.000Z',
  sha256: createHash('sha256').update(bytes).digest('hex'),
  crc32: '00000000',
  scan: 'clean',
})

const waybillOf = (files: readonly WaybillFile[], more: Partial<Waybill> = {}): Waybill => ({
  version: 1,
  issuer: 'https://longshore.example',
  package: {
    id: 'p',
    name: 'Rushes',
    sender: 'sender@example.test',
    created_at: '2026-01-02T03:04:05.000Z',
    finalized_at: '2026-01-02T03:04:05.000Z',
    size: 0,
    total_files: files.length,
  },
  files,
  verified: true,
  ...more,
})

const contents: Readonly<Record<string, Buffer>> = {
  'a.txt': Buffer.from('one'),
  'folder/b.bin': randomBytes(3 * 2 ** 20),
  'folder/deeper/漢字 ü.txt': Buffer.from('three'),
  empty: Buffer.alloc(0),
}

interface Ground {
  readonly folder: string
  readonly signer: Signer
  /** Runs the command on a waybill of these contents. */
  run(options?: {
    payload?: unknown
    signed?: object
    keys?: JSONWebKeySet | string | null
    all?: boolean
  }): Promise<Ran>
}

interface Ran {
  readonly code: number | null
  readonly lines: readonly string[]
  readonly complaint: string
}

const command = fileURLToPath(new URL('./longshore-verify.ts', import.meta.url))

/** A folder that holds what was sent, and a waybill of it. */
async function newGround(t: TestContext): Promise<Ground> {
  const root = mkdtempSync(join(tmpdir(), 'waybill-'))
  t.after(() => rmSync(root, { recursive: true }))
  const folder = join(root, 'downloaded')
  for (const [path, bytes] of Object.entries(contents)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), bytes)
  }
  const signer = await newSigner('k1')
  const files = Object.entries(contents).map(([path, bytes]) => fileOf(path, bytes))
  return {
    folder,
    signer,
    async run({ payload = waybillOf(files), signed, keys = signer.keys, all = false } = {}) {
      writeFileSync(join(root, 'waybill.json'), JSON.stringify(signed ?? (await signer.sign(payload as object))))
      if (typeof keys === 'object') writeFileSync(join(root, 'keys.json'), JSON.stringify(keys))
      const from = keys === null ? [] : ['--keys', typeof keys === 'string' ? keys : join(root, 'keys.json')]
      const args = [command, join(root, 'waybill.json'), folder, ...from, ...(all ? ['--all'] : [])]
      const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] })
      const [code, out, complaint] = await Promise.all([
        new Promise<number | null>((resolve) => child.once('exit', resolve)),
        text(child.stdout),
        text(child.stderr),
      ])
      return { code, lines: out.split('\n').filter((line) => line !== ''), complaint }
    },
  }
}

test('a folder as it was sent is good', async (t) => {
  const { run } = await newGround(t)
  const { code, lines } = await run()
  assert.deepEqual(lines, [
    'package    "Rushes" from "sender@example.test"',
    'signature  good, issued by "https://longshore.example"',
    'ALL GOOD: 4 good',
  ])
  assert.equal(code, 0)
  assert.equal((await run({ all: true })).lines.filter((line) => line.startsWith('good ')).length, 4)
})

test('a flipped bit, a cut file, a missing one and one too many are each named', async (t) => {
  const { folder, run } = await newGround(t)
  const flipped = readFileSync(join(folder, 'folder/b.bin'))
  flipped[2_000_000] = (flipped[2_000_000] ?? 0) ^ 1
  writeFileSync(join(folder, 'folder/b.bin'), flipped)
  writeFileSync(join(folder, 'a.txt'), 'on')
  rmSync(join(folder, 'empty'))
  writeFileSync(join(folder, 'folder/new'), '')
  const { code, lines } = await run()
  assert.deepEqual(lines.slice(2, -1).toSorted(), [
    'changed    "a.txt" (it has 2 bytes, sent were 3)',
    'changed    "folder/b.bin" (its bytes are not those sent)',
    'extra      "folder/new"',
    'missing    "empty"',
  ])
  assert.equal(lines.at(-1), 'DIFFERENT: 1 good, 1 missing, 2 changed, 1 extra')
  assert.equal(code, 1)
})

test('a link in place of a file is not followed, nor is one in place of a folder', async (t) => {
  const { folder, run } = await newGround(t)
  writeFileSync(join(folder, '../elsewhere'), 'one')
  rmSync(join(folder, 'a.txt'))
  symlinkSync('../elsewhere', join(folder, 'a.txt'))
  mkdirSync(join(folder, '../away'))
  writeFileSync(join(folder, '../away/漢字 ü.txt'), 'three')
  rmSync(join(folder, 'folder/deeper'), { recursive: true })
  symlinkSync('../../away', join(folder, 'folder/deeper'))
  const { code, lines } = await run()
  assert.deepEqual(lines.slice(2, -1).toSorted(), [
    'changed    "a.txt" (it is not a plain file)',
    'extra      "folder/deeper"',
    'missing    "folder/deeper/漢字 ü.txt"',
  ])
  assert.equal(code, 1)
})

test('a waybill that points out of the folder finds nothing there', async (t) => {
  const { folder, run } = await newGround(t)
  writeFileSync(join(folder, '../outside'), 'one')
  const { lines } = await run({ payload: waybillOf([fileOf('../outside', Buffer.from('one'))]) })
  assert.ok(lines.includes('missing    "../outside"'))
})

test('a file with a virus may be absent; one that the server had not read proves nothing', async (t) => {
  const { run } = await newGround(t)
  const files = Object.entries(contents).map(([path, bytes]) => fileOf(path, bytes))
  const infected: WaybillFile = { ...fileOf('bad.exe', Buffer.from('x')), scan: 'infected' }
  const kept = await run({ payload: waybillOf([...files, infected]) })
  assert.equal(kept.code, 0)
  assert.equal(kept.lines.at(-1), 'ALL GOOD: 4 good, 1 withheld')
  const early = await run({ payload: waybillOf(files.map((file) => ({ ...file, sha256: null }))) })
  assert.equal(early.lines.at(-1), 'DIFFERENT: 0 good, 4 unproven')
  assert.equal(early.code, 1)
})

test('a waybill that was changed, or signed by another, judges nothing', async (t) => {
  const { signer, run } = await newGround(t)
  const payload = waybillOf([])
  const signed = await signer.sign(payload)
  const added = [fileOf('added', Buffer.from(''))]
  const impostor = await newSigner('k1')
  const stranger = await newSigner('k9')
  for (const [what, options, complaint] of [
    ['another issuer', { signed: { ...signed, issuer: 'https://evil.example' } }, /signature/],
    ['a file more', { signed: { ...signed, files: added } }, /signature/],
    ['another verdict', { signed: { ...signed, verified: false } }, /signature/],
    ['another signer of the same name', { signed: await impostor.sign(payload) }, /signature/],
    ['an unknown key', { signed: await stranger.sign(payload) }, /None of the keys/],
    ['something else that the key signed', { signed: await signer.sign(payload, 'JWT') }, /no waybill/],
    ['no signature', { signed: { ...signed, signature: undefined } }, /signature is missing/],
    ['a version of the future', { payload: { ...payload, version: 2 } }, /version/],
    ['a file without digest', { payload: { ...payload, files: [{ path: 'a', size: 1 }] } }, /files\[0\]/],
    ['keys that are none', { payload, keys: { keys: 'none' } as unknown as JSONWebKeySet }, /holds no keys/],
  ] as const) {
    const ran = await run(options)
    assert.equal(ran.code, 2, what)
    assert.match(ran.complaint, complaint, what)
    assert.deepEqual(ran.lines, [], what)
  }
})

test('an unsigned "none" and a key of another kind are refused', async (t) => {
  const { run } = await newGround(t)
  const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const { files, ...rest } = waybillOf([])
  const digest = createHash('sha256')
    .update(`${JSON.stringify(rest)}
`)
    .digest('hex')
  for (const alg of ['none', 'HS256']) {
    const header = part({ alg, kid: 'k1', typ: 'longshore-waybill+jws' })
    const signature = `${header}.${part({ waybill: `sha256:${digest}` })}.`
    const ran = await run({ signed: { ...rest, files, signature } })
    assert.equal(ran.code, 2, alg)
  }
})

test('keys may come from the server, and without any it is said that nobody checked', async (t) => {
  const { signer, run } = await newGround(t)
  const server = createServer((_request, reply) => reply.end(JSON.stringify(signer.keys)))
  t.after(() => server.close())
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const online = await run({ keys: `http://127.0.0.1:${port}/v1/system/keys` })
  assert.match(online.lines[1] ?? '', /good/)
  const unchecked = await run({ keys: null })
  assert.match(unchecked.lines[1] ?? '', /NOT CHECKED/)
  assert.equal(unchecked.code, 0)
})

test('a name cannot write to the terminal', async (t) => {
  const { run } = await newGround(t)
  const name = '\u001b]0;owned\u0007\u202egpj.exe\u009b2J'
  const { lines } = await run({ payload: waybillOf([fileOf(name, Buffer.from(''))]) })
  const line = lines.find((line) => line.startsWith('missing')) ?? ''
  assert.match(line, /^[\x20-\x7e]+$/)
})
