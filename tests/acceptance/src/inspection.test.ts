import assert from 'node:assert/strict'
import { createHash, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after } from 'node:test'
import { crc32 } from 'node:zlib'
import { addFiles, fileUrl, fileUrls, finalizeFiles, listFiles, waybill } from '@longshore/contract/cloud/files'
import { deletePackage, readPackage } from '@longshore/contract/cloud/packages'
import { systemKeys } from '@longshore/contract/cloud/system'
import { createWebhook } from '@longshore/contract/cloud/webhooks'
import { compactVerify, createLocalJWKSet } from 'jose'
import { refused, show, use } from '#calls'
import { mailsTo } from '#mail'
import { makeMember, makeTeam } from '#members'
import { packageToken } from '#mint'
import { test } from '#record'
import { store } from '#storage'
import {
  fetchFile,
  finalize,
  inFile,
  inPackage,
  inspected,
  lastModified,
  makeLink,
  makePackage,
  makeSent,
  managing,
  newFile,
  type Package,
  readTokenOf,
  upload,
} from '#walk'

// What every scanner takes for a virus; in pieces, so that none takes this file for one.
const eicar = Buffer.from(
  ['X5O!P%@AP[4\\PZX54(P^)7CC)7}$', 'EICAR-STANDARD', '-ANTIVIRUS-TEST-FILE', '!$H+H*'].join(''),
)

const teamId = await makeTeam('Team with viruses')
const owner = await makeMember('owner', teamId)
const as = { userToken: owner.token }

interface Told {
  readonly event_type: string
  readonly object: { readonly id: string; readonly file: { readonly name: string } }
}
const told: Told[] = []
const endpoint = createServer((request, reply) => {
  const pieces: Buffer[] = []
  request.on('data', (piece: Buffer) => pieces.push(piece))
  request.on('end', () => {
    told.push(JSON.parse(Buffer.concat(pieces).toString()) as Told)
    reply.end()
  })
}).listen(0, '127.0.0.1')
await once(endpoint, 'listening')
after(() => {
  endpoint.closeAllConnections()
  endpoint.close()
})
const url = `http://127.0.0.1:${(endpoint.address() as AddressInfo).port}/`
const events = ['file.infected' as const, 'file.damaged' as const]
await use(createWebhook, { params: { team_id: teamId }, body: { active: true, events, method: 'POST', url } }, { as })

const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')

/** Checks the signature of a waybill by the server's published keys. */
async function signedWaybill(pkg: Package, token = pkg.access_token) {
  const { files, signature, ...rest } = await show(waybill, { params: inPackage(pkg) }, { as: { packageToken: token } })
  const digest = createHash('sha256')
  for (const part of [...files, rest]) digest.update(`${JSON.stringify(part)}\n`)
  const { payload } = await compactVerify(signature, createLocalJWKSet(await show(systemKeys, {})))
  assert.deepEqual(JSON.parse(Buffer.from(payload).toString()), { waybill: `sha256:${digest.digest('hex')}` })
  return { ...rest, files }
}

test('a virus in one file of three: that one is quarantined, the others are fine, webhook and mail say so', async () => {
  const pkg = await makePackage({ name: 'Infected' }, as, teamId)
  const [good, bad, fine] = [
    await upload(pkg, Buffer.from('good'), { name: 'good.txt' }),
    await upload(pkg, eicar, { name: 'bad.com', path: 'deep/down' }),
    await upload(pkg, Buffer.from('fine'), { name: 'fine.txt' }),
  ]
  await finalize(pkg)
  const files = await inspected(pkg)
  assert.deepEqual(
    files.filter(({ kind }) => kind === 'file').map(({ scan, virus_detected }) => [scan, virus_detected]),
    [
      ['clean', false],
      ['infected', true],
      ['clean', false],
    ],
  )
  assert.equal((await use(readPackage, { params: inPackage(pkg) }, managing(pkg))).contains_virus, true)
  const readToken = await readTokenOf(await makeLink(pkg))
  await refused(fileUrl, { params: inFile(bad) }, { as: { packageToken: readToken } }, 'file_quarantined')
  const both = { params: inPackage(pkg), body: { file_ids: [bad.file.id, good.file.id] } }
  const { results } = await use(fileUrls, both, { as: { packageToken: readToken } })
  assert.deepEqual(
    results.map(({ status, error }) => [status, error]),
    [
      [403, 'file_quarantined'],
      [200, undefined],
    ],
  )
  assert.equal((await fetchFile(pkg, good.file.id, readToken)).text, 'good')
  assert.equal((await fetchFile(pkg, fine.file.id, readToken)).text, 'fine')
  const [mail] = await mailsTo(owner.email, 1)
  assert.equal(mail?.subject, 'A virus was found in Infected')
  assert.match(mail?.text ?? '', /deep\/down\/bad\.com/)
  const deadline = Date.now() + 20_000
  while (!told.some(({ object }) => object.id === pkg.id) && Date.now() < deadline) await new Promise(setImmediate)
  assert.deepEqual(
    told.filter(({ object }) => object.id === pkg.id).map(({ event_type, object }) => [event_type, object.file.name]),
    [['file.infected', 'bad.com']],
  )
})

test('what was sent is on the waybill, verified once it was read, and signed', async () => {
  const contents = [Buffer.from('one'), Buffer.alloc(0), Buffer.from('three')]
  const pkg = await makePackage({ name: 'Waybill' })
  for (const [index, content] of contents.entries()) {
    await upload(pkg, content, { name: `${index}.bin`, path: index === 2 ? 'Ordner ü' : '' })
  }
  await finalize(pkg)
  await inspected(pkg)
  const { files, verified, package: about } = await signedWaybill(pkg)
  assert.equal(verified, true)
  assert.deepEqual([about.id, about.name, about.total_files, about.size], [pkg.id, 'Waybill', 3, 8])
  assert.deepEqual(
    files,
    ['0.bin', '1.bin', 'Ordner ü/2.bin'].map((path, index) => {
      const content = contents[index] ?? Buffer.alloc(0)
      const checksum = crc32(content).toString(16).padStart(8, '0')
      return {
        path,
        size: content.length,
        last_modified: lastModified,
        sha256: sha256(content),
        crc32: checksum,
        scan: 'clean',
      }
    }),
  )
  const reader = await readTokenOf(await makeLink(pkg))
  assert.equal((await signedWaybill(pkg, reader)).verified, true)
})

test('checksums that the bytes do not have make the file damaged and the package unverified', async () => {
  const pkg = await makePackage({}, as, teamId)
  const content = Buffer.from('what is stored')
  const { files } = await use(
    addFiles,
    { params: inPackage(pkg), body: { files: [newFile({ size: content.length }), newFile({ size: content.length })] } },
    managing(pkg),
  )
  const claimed = sha256(Buffer.from('what was sent!'))
  const checksums = [
    { sha256: claimed },
    { sha256: sha256(content), crc32: crc32(content).toString(16).padStart(8, '0') },
  ]
  const claims = []
  for (const [index, { file, put_blueprint }] of files.entries()) {
    assert.ok(put_blueprint !== null)
    const etag = await store(put_blueprint, content)
    claims.push({ file_id: file.id, size: content.length, etag, checksums: checksums[index] ?? {} })
  }
  await use(finalizeFiles, { params: inPackage(pkg), body: { files: claims } }, managing(pkg))
  await finalize(pkg)
  const listed = await inspected(pkg)
  assert.deepEqual(
    listed.filter(({ kind }) => kind === 'file').map(({ integrity }) => integrity),
    ['damaged', 'verified'],
  )
  const signed = await signedWaybill(pkg)
  assert.equal(signed.verified, false)
  assert.equal(signed.files[0]?.sha256, claimed)
})

test('who may not read the package gets no waybill, and a package that is open or gone has none', async () => {
  const open = await makePackage()
  await refused(waybill, { params: inPackage(open) }, managing(open), 'package_not_finalized')
  const unknown = { id: randomUUID(), team_id: open.team_id }
  const stranger = { as: { packageToken: packageToken(unknown, 'manage') } }
  await refused(waybill, { params: { package_id: unknown.id } }, stranger, 'package_not_found')
  const { pkg, readToken } = await makeSent()
  await use(deletePackage, { params: inPackage(pkg) }, managing(pkg))
  await refused(waybill, { params: inPackage(pkg) }, managing(pkg), 'package_expired')
  await refused(waybill, { params: inPackage(pkg) }, { as: { packageToken: readToken } }, 'package_expired')
  await refused(listFiles, { params: inPackage(pkg) }, managing(pkg), 'package_expired')
})
