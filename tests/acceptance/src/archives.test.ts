import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileUrl } from '@longshore/contract/cloud/files'
import { deleteLink } from '@longshore/contract/cloud/links'
import { deletePackage } from '@longshore/contract/cloud/packages'
import { archiveAddress, archiveOf, uploadChecked } from '#archives'
import { errorOf, refused, show, use } from '#calls'
import { type Header, send } from '#http'
import { test } from '#record'
import { target } from '#target'
import { finalize, inPackage, makeLink, makePackage, managing, readTokenOf } from '#walk'

const content = randomBytes(300_000)

/** A finalized package whose archives can be had at once, and a token that reads it. */
async function makeArchived(access_limit = 0) {
  const pkg = await makePackage({ name: 'Reise: Tag 1' })
  await uploadChecked(pkg, { 'ü.txt': Buffer.from('Ahoy.'), 'folder/large.bin': content })
  await finalize(pkg)
  const link = await makeLink(pkg, { access_limit })
  return { pkg, link, readToken: await readTokenOf(link) }
}

const inSeconds = (seconds: number) => new Date(Date.now() + seconds * 1000).toISOString()
const reading = (packageToken: string) => ({ as: { packageToken } })

test('an archive is listed with its size and comes whole, under the name of the package', async () => {
  const { pkg, readToken } = await makeArchived()
  for (const kind of ['zip_windows', 'zip_mac'] as const) {
    const listed = await archiveOf(pkg, kind, reading(readToken))
    assert.deepEqual([listed.name, listed.path, listed.virus_detected], ['Reise_ Tag 1.zip', '', false])
    const params = { package_id: pkg.id, file_id: listed.id }
    const { method, url } = await show(fileUrl, { params }, reading(readToken))
    assert.ok(url.startsWith(`${target.cloud_url}/v1/archives/${pkg.id}/${listed.id}?`))
    const { status, headers, body } = await send({ method, url })
    assert.equal(status, 200)
    assert.equal(body.length, listed.size)
    assert.equal(headers['content-length'], String(listed.size))
    assert.equal(headers['content-type'], 'application/zip')
    assert.equal(headers['accept-ranges'], 'bytes')
    assert.match(headers['content-disposition'] ?? '', /^attachment; filename="Reise_ Tag 1.zip"/)
    assert.match(headers.etag ?? '', /^"[\w-]{43}"$/)
    assert.equal(headers['transfer-encoding'], undefined)
    assert.ok(body.includes(content), 'a file lies in it as it is')
    assert.equal(body.readUInt32LE(0), 0x04034b50)
  }
})

test('a range of an archive is its slice, and a looker gets the headers alone', async () => {
  const { pkg, readToken } = await makeArchived()
  const url = await archiveAddress(pkg, 'zip_mac', readToken)
  const whole = await send({ method: 'GET', url })
  const etag = whole.headers.etag ?? ''
  const ask = (method: string, ...headers: Header[]) => send({ method, url, headers })
  const size = whole.body.length

  for (const [range, start, end] of [
    ['bytes=0-0', 0, 1],
    ['bytes=1000-200000', 1000, 200_001],
    ['bytes=-500', size - 500, size],
    [`bytes=${size - 1}-`, size - 1, size],
  ] as const) {
    const part = await ask('GET', ['range', range])
    assert.equal(part.status, 206, range)
    assert.equal(part.headers['content-range'], `bytes ${start}-${end - 1}/${size}`)
    assert.equal(part.headers.etag, etag)
    assert.ok(part.body.equals(whole.body.subarray(start, end)), range)
  }
  const beyond = await ask('GET', ['range', `bytes=${size}-`])
  assert.deepEqual([beyond.status, beyond.headers['content-range'], beyond.text], [416, `bytes */${size}`, ''])
  assert.equal((await ask('GET', ['range', 'bytes=0-1,4-5'])).body.length, size)

  const same = await ask('GET', ['range', 'bytes=5-9'], ['if-range', etag])
  assert.deepEqual([same.status, same.body.length], [206, 5])
  const other = await ask('GET', ['range', 'bytes=5-9'], ['if-range', '"other"'])
  assert.deepEqual([other.status, other.body.length], [200, size])
  const known = await ask('GET', ['if-none-match', etag])
  assert.deepEqual([known.status, known.text, known.headers.etag], [304, '', etag])
  assert.equal((await ask('GET', ['if-match', '"other"'])).status, 412)

  const head = await ask('HEAD', ['range', 'bytes=0-0'])
  assert.deepEqual([head.status, head.headers['content-length'], head.body.length], [200, String(size), 0])
  assert.equal(head.headers.etag, etag)
})

test('an archive is one access of its token, with all its ranges and the files of the same token', async () => {
  const { pkg, link, readToken } = await makeArchived(1)
  const late = reading(await readTokenOf(link))
  const url = await archiveAddress(pkg, 'zip_mac', readToken)
  for (let call = 0; call < 3; call++) assert.equal((await send({ method: 'GET', url })).status, 200)
  await archiveAddress(pkg, 'zip_windows', readToken)
  const { id } = await archiveOf(pkg, 'zip_mac', reading(readToken))
  await refused(fileUrl, { params: { package_id: pkg.id, file_id: id } }, late, 'link_locked')
})

test('an address that has ended, was changed or is for another archive opens nothing', async () => {
  const [{ pkg, readToken }, other] = [await makeArchived(), await makeArchived()]
  const url = await archiveAddress(pkg, 'zip_mac', readToken)
  const short = await archiveAddress(pkg, 'zip_mac', readToken, { expiry: inSeconds(2) })
  const foreign = await archiveAddress(other.pkg, 'zip_mac', other.readToken)
  const windows = await archiveOf(pkg, 'zip_windows', reading(readToken))
  const token = (address: string) => new URL(address).searchParams.get('token') ?? ''
  const changed = (edit: (url: URL) => void) => {
    const edited = new URL(url)
    edit(edited)
    return edited.href
  }
  const unsigned = `${token(url).split('.').slice(0, 2).join('.')}.`
  for (const address of [
    changed((one) => one.searchParams.set('token', token(foreign))),
    changed((one) => (one.pathname = new URL(foreign).pathname)),
    changed((one) => (one.pathname = one.pathname.replace(/[^/]+$/, windows.id))),
    changed((one) => one.searchParams.set('token', unsigned)),
    changed((one) => one.searchParams.set('token', readToken)),
    changed((one) => one.searchParams.set('token', 'x')),
    changed((one) => one.searchParams.append('token', token(foreign))),
    changed((one) => (one.search = '')),
  ]) {
    assert.equal((await send({ method: 'GET', url: address })).status, 401, address.replace(/token=.*/, ''))
  }
  for (const method of ['PUT', 'POST', 'DELETE']) assert.equal((await send({ method, url })).status, 404, method)
  await sleep(2_500)
  const late = await send({ method: 'GET', url: short })
  assert.deepEqual([late.status, errorOf(late).error], [401, 'token_expired'])
  assert.equal((await send({ method: 'HEAD', url })).status, 200)
})

test('a link that is switched off and a package that is deleted end the addresses of their archives', async () => {
  const { pkg, link, readToken } = await makeArchived()
  const second = await readTokenOf(await makeLink(pkg))
  const [first, other] = [await archiveAddress(pkg, 'zip_mac', readToken), await archiveAddress(pkg, 'zip_mac', second)]
  await use(deleteLink, { params: { package_id: pkg.id, link_id: link.id } }, managing(pkg))
  assert.equal(errorOf(await send({ method: 'GET', url: first })).error, 'token_revoked')
  assert.equal((await send({ method: 'GET', url: other })).status, 200)
  await use(deletePackage, { params: inPackage(pkg) }, managing(pkg))
  assert.equal(errorOf(await send({ method: 'GET', url: other })).error, 'package_expired')
})

test('any page may fetch an archive whose address it has, and read what it needs to go on', async () => {
  const { pkg, readToken } = await makeArchived()
  const url = await archiveAddress(pkg, 'zip_windows', readToken)
  const origin: Header = ['origin', 'https://somewhere.example']
  const { headers } = await send({ method: 'GET', url, headers: [origin, ['range', 'bytes=0-9']] })
  assert.equal(headers['access-control-allow-origin'], '*')
  for (const name of ['ETag', 'Content-Range', 'Accept-Ranges']) {
    assert.ok(headers['access-control-expose-headers']?.includes(name), name)
  }
  const asked: Header[] = [
    ['access-control-request-method', 'GET'],
    ['access-control-request-headers', 'range'],
  ]
  const preflight = await send({ method: 'OPTIONS', url, headers: [origin, ...asked] })
  assert.equal(preflight.status, 204)
  assert.match(preflight.headers['access-control-allow-headers'] ?? '', /range/i)
})

test('managers get no addresses of archives either', async () => {
  const { pkg } = await makeArchived()
  const { id } = await archiveOf(pkg, 'zip_mac', managing(pkg))
  await refused(fileUrl, { params: { package_id: pkg.id, file_id: id } }, managing(pkg), 'token_level_insufficient')
})
