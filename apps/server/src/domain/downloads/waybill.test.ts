import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { crc32 } from 'node:zlib'
import { Waybill } from '@longshore/contract/cloud/files'
import { compactVerify, createLocalJWKSet } from 'jose'
import { Compile } from 'typebox/compile'
import { freezeFiles, takeFreezable } from '#domain/packages/freeze-files'
import { createSigner } from '#domain/tokens/signer'
import { finalizeFiles } from '#domain/uploads/finalize-files'
import { finalizePackage } from '#domain/packages/finalize-package'
import { sql } from '#platform/db'
import { newKeyring, type TestCx, testCx } from '#test-kit/cx'
import { inspectAll } from '#test-kit/inspect'
import { letExpire, makeFile, makePackage, type MadePackage } from '#test-kit/make'
import { waybill } from './waybill.ts'

const shape = Compile(Waybill)
const never = new AbortController().signal
const sum = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')

async function textOf(cx: TestCx, pkg: MadePackage): Promise<string> {
  let text = ''
  for await (const piece of await waybill(cx, pkg.manager, pkg.id)) text += piece
  return text
}

/** Checks a waybill by what the documentation says, and nothing else. */
async function checked(cx: TestCx, text: string) {
  const parsed: unknown = JSON.parse(text)
  assert.ok(shape.Check(parsed), JSON.stringify(shape.Errors(parsed)))
  const { files, signature, ...rest } = parsed
  const digest = createHash('sha256')
  for (const part of [...files, rest]) digest.update(`${JSON.stringify(part)}\n`)
  const { payload, protectedHeader } = await compactVerify(
    signature,
    createLocalJWKSet({ keys: cx.signer.keys.map((key) => ({ ...key })) }),
  )
  assert.equal(protectedHeader.typ, 'longshore-waybill+jws')
  assert.deepEqual(JSON.parse(Buffer.from(payload).toString()), { waybill: `sha256:${digest.digest('hex')}` })
  return parsed
}

test('it names every file with its hash once the files were read, and is the same after they were frozen', async (t) => {
  const cx = await testCx(t)
  const pkg = await makePackage(cx, {
    files: [{ name: 'ä "quoted"', path: 'day 1/b' }, { name: 'c' }],
    finalized: true,
  })
  const early = await checked(cx, await textOf(cx, pkg))
  assert.equal(early.verified, false)
  assert.deepEqual(
    early.files.map(({ sha256 }) => sha256),
    [null, null],
  )
  await inspectAll(cx)
  const text = await textOf(cx, pkg)
  const { package: about, files, verified } = await checked(cx, text)
  assert.equal(verified, true)
  assert.equal(about.id, pkg.id)
  assert.equal(about.total_files, 2)
  assert.deepEqual(
    files,
    pkg.files.map(({ bytes }, index) => ({
      path: ['day 1/b/ä "quoted"', 'c'][index],
      size: bytes.length,
      last_modified: '2026-01-02T03:04:05.000Z',
      sha256: sum(bytes),
      crc32: crc32(bytes).toString(16).padStart(8, '0'),
      scan: 'not_scanned',
    })),
  )
  for (const waiting of await takeFreezable(cx, 10)) await freezeFiles(cx, waiting, never)
  assert.equal(await textOf(cx, pkg), text)
})

test('with a damaged file it is not verified, and names the hash of what was sent', async (t) => {
  const cx = await testCx(t)
  const pkg = await makePackage(cx)
  const file = await makeFile(cx, pkg, { finalized: false })
  const sent = sum(Buffer.from('what was sent'))
  await finalizeFiles(cx, pkg.manager, pkg.id, [{ ...file.claim, checksums: { sha256: sent } }])
  await finalizePackage(cx, pkg.manager, pkg.id)
  await inspectAll(cx)
  const { files, verified } = await checked(cx, await textOf(cx, pkg))
  assert.equal(verified, false)
  assert.equal(files[0]?.sha256, sent)
})

test('a package of directories only has an empty one, and one that is new or has ended has none', async (t) => {
  const cx = await testCx(t)
  const pkg = await makePackage(cx, { files: [{}] })
  await assert.rejects(waybill(cx, pkg.manager, pkg.id), { code: 'package_not_finalized' })
  await finalizePackage(cx, pkg.manager, pkg.id)
  await cx.db.transaction((tx) => tx.run(sql`update files set kind = 'directory', object_key = null`))
  assert.deepEqual((await checked(cx, await textOf(cx, pkg))).files, [])
  await letExpire(cx, pkg)
  await assert.rejects(waybill(cx, pkg.manager, pkg.id), { code: 'package_expired' })
})

test('any change makes the signature wrong; a new master secret leaves old waybills good', async (t) => {
  const keyring = newKeyring()
  const cx: TestCx = { ...(await testCx(t)), signer: createSigner(keyring) }
  const pkg = await makePackage(cx, { files: [{ name: 'a' }], finalized: true })
  await inspectAll(cx)
  const text = await textOf(cx, pkg)
  for (const [from, to] of [
    ['"path":"a"', '"path":"b"'],
    ['"verified":true', '"verified":false'],
    ['"name":"Rushes"', '"name":"rushes"'],
  ] as const) {
    assert.ok(text.includes(from))
    await assert.rejects(checked(cx, text.replace(from, to)))
  }
  await assert.rejects(checked({ ...cx, signer: createSigner(newKeyring()) }, text))
  const both = { ...keyring, current: 'k2', kids: ['k2', ...keyring.kids], derive: deriveEither }
  function deriveEither(kid: string, purpose: string) {
    return kid === 'k2' ? Buffer.alloc(32, 7) : keyring.derive(kid, purpose)
  }
  const renewed = { ...cx, signer: createSigner(both) }
  await checked(renewed, text)
  assert.notEqual(await textOf(renewed, pkg), text)
  await checked(renewed, await textOf(renewed, pkg))
})
