import assert from 'node:assert/strict'
import { randomBytes, randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { addFile, fileUrl, fileUrls, listFiles } from '@longshore/contract/cloud/files'
import { createLink, deleteLink } from '@longshore/contract/cloud/links'
import { setPackageExpiry } from '@longshore/contract/cloud/packages'
import { refused, show, use } from '#calls'
import { send } from '#http'
import { packageToken } from '#mint'
import { test } from '#record'
import { add, finalize, inFile, inPackage, makeLink, makePackage, makeSent, managing, readTokenOf, upload } from '#walk'

const inSeconds = (seconds: number) => new Date(Date.now() + seconds * 1000).toISOString()
const reading = (token: string) => ({ as: { packageToken: token } })
const lifetime = (url: string) => Number(new URL(url).searchParams.get('X-Amz-Expires'))

test('a file comes as an attachment of octets, whole or in ranges', async () => {
  const content = randomBytes(10_000)
  const { added, readToken } = await makeSent({}, content)
  const { method, url } = await show(fileUrl, { params: inFile(added) }, reading(readToken))
  assert.equal(method, 'GET')
  const whole = await send({ method, url })
  assert.deepEqual([whole.status, whole.headers['content-type']], [200, 'application/octet-stream'])
  assert.equal(nameIn(whole.headers['content-disposition'] ?? ''), 'note.txt')
  assert.ok(whole.body.equals(content))
  assert.equal(whole.headers['accept-ranges'], 'bytes')

  const part = await send({ method, url, headers: [['range', 'bytes=1000-1999']] })
  assert.deepEqual([part.status, part.headers['content-range']], [206, 'bytes 1000-1999/10000'])
  assert.ok(part.body.equals(content.subarray(1000, 2000)))
  const tail = await send({ method, url, headers: [['range', 'bytes=-10']] })
  assert.ok(tail.body.equals(content.subarray(-10)))
  const beyond = await send({ method, url, headers: [['range', 'bytes=10000-']] })
  assert.equal(beyond.status, 416)
})

test('the name in the header is the name of the file, in every script, in one header', async () => {
  const names = [
    'plain.txt',
    'with space.txt',
    'Größe "roh"; v2, 100%.mov',
    'Серия 1.mov',
    '🎬.mov',
    'שלום.txt',
    `${'long'.repeat(60)}.txt`,
    "it's (1) *.txt",
    'a%41b.txt',
    'é'.normalize('NFD'),
  ]
  const pkg = await makePackage()
  const added = []
  for (const name of names) added.push(await upload(pkg, Buffer.from(name), { name }))
  await finalize(pkg)
  const token = await readTokenOf(await makeLink(pkg))
  for (const [index, name] of names.entries()) {
    const { url } = await use(fileUrl, { params: inFile(added[index] as never) }, reading(token))
    const { headers, text } = await send({ method: 'GET', url })
    assert.equal(text, name)
    assert.equal(nameIn(headers['content-disposition'] ?? ''), name)
  }
})

/** The file name by RFC 6266: the extended form before the plain one. */
function nameIn(header: string): string | undefined {
  assert.match(header, /^attachment; filename/)
  const extended = /filename\*=UTF-8''([^;]+)/.exec(header)?.[1]
  if (extended !== undefined) return decodeURIComponent(extended)
  const quoted = /filename="((?:[^"\\]|\\.)*)"/.exec(header)?.[1]
  return quoted?.replaceAll(/\\(.)/g, '$1') ?? /filename=([^;]+)/.exec(header)?.[1]
}

test('an HTML file is no page', async () => {
  const pkg = await makePackage()
  const added = await upload(pkg, Buffer.from('<script>alert(1)</script>'), { name: 'index.html' })
  await finalize(pkg)
  const { url } = await use(fileUrl, { params: inFile(added) }, reading(await readTokenOf(await makeLink(pkg))))
  const { headers } = await send({ method: 'GET', url })
  assert.equal(headers['content-type'], 'application/octet-stream')
  assert.equal(nameIn(headers['content-disposition'] ?? ''), 'index.html')
})

test('an address lives a quarter of an hour, or as long as asked, cut to link, package and seven days', async () => {
  const { pkg, added, readToken } = await makeSent()
  const url = async (token: string, query: { expiry?: string } = {}) =>
    (await show(fileUrl, { params: inFile(added), query }, reading(token))).url
  const near = (seconds: number, wanted: number) =>
    assert.ok(seconds <= wanted && seconds > wanted - 15, `${seconds} ≠ ${wanted}`)
  near(lifetime(await url(readToken)), 900)
  near(lifetime(await url(readToken, { expiry: inSeconds(60) })), 60)
  near(lifetime(await url(readToken, { expiry: inSeconds(3 * 86_400) })), 3 * 86_400)
  near(lifetime(await url(readToken, { expiry: inSeconds(30 * 86_400) })), 7 * 86_400)

  const short = await readTokenOf(await makeLink(pkg, { expiry: inSeconds(40) }))
  near(lifetime(await url(short)), 40)
  near(lifetime(await url(short, { expiry: inSeconds(3_600) })), 40)
  await use(setPackageExpiry, { params: inPackage(pkg), body: { expiry: inSeconds(30) } }, managing(pkg))
  near(lifetime(await url(readToken, { expiry: inSeconds(3_600) })), 30)
})

test('an expiry that is past or no time at all is refused', async () => {
  const { added, readToken } = await makeSent()
  for (const expiry of [inSeconds(-1), '0001-01-01T00:00:00.000Z', '2040-01-01', 'soon', '', ['a', 'b']]) {
    const input = { params: inFile(added), query: { expiry } }
    await refused(fileUrl, input, reading(readToken), 'validation_failed')
  }
})

test('an address that has ended, or was changed, opens nothing', async () => {
  const [{ added, readToken }, other] = [await makeSent(), await makeSent()]
  const { url: short } = await use(
    fileUrl,
    { params: inFile(added), query: { expiry: inSeconds(2) } },
    reading(readToken),
  )
  const { url } = await use(fileUrl, { params: inFile(added) }, reading(readToken))
  const foreign = new URL((await use(fileUrl, { params: inFile(other.added) }, reading(other.readToken))).url)
  const changed = (edit: (url: URL) => void) => {
    const edited = new URL(url)
    edit(edited)
    return edited.href
  }
  const addresses = [
    changed((one) => (one.pathname = foreign.pathname)),
    changed((one) => one.searchParams.set('response-content-type', 'text/html')),
    changed((one) => one.searchParams.set('response-content-disposition', 'inline')),
    changed((one) => one.searchParams.set('X-Amz-Expires', '604800')),
    changed((one) => one.searchParams.append('versionId', 'x')),
    changed((one) => one.searchParams.delete('X-Amz-Signature')),
    changed((one) => (one.search = '')),
  ]
  for (const address of addresses) {
    const { status } = await send({ method: 'GET', url: address })
    assert.ok(status === 403 || status === 400, `${status} for ${address}`)
  }
  for (const method of ['PUT', 'DELETE', 'POST']) assert.equal((await send({ method, url })).status, 403, method)
  await sleep(2_500)
  assert.equal((await send({ method: 'GET', url: short })).status, 403)
  assert.equal((await send({ method: 'GET', url })).status, 200)
})

const compareText = (a: string, b: string) => (a < b ? -1 : 1)

test('the list of a package has its files and directories, for every level of token', async () => {
  const pkg = await makePackage()
  await upload(pkg, Buffer.from('abc'), { name: 'b', path: 'z' })
  await upload(pkg, Buffer.from('a'), { name: 'a', path: '' })
  await add(pkg, { kind: 'directory', name: 'empty', path: 'z' })
  const seen = async (token: string) =>
    (await show(listFiles, { params: inPackage(pkg) }, reading(token)))
      .filter(({ kind }) => kind === 'file' || kind === 'directory')
      .map(({ kind, path, name, size, state }) => `${kind} ${path}/${name} ${size} ${state}`)
      .toSorted(compareText)
  const expected = ['directory z/empty 0 finalized', 'file /a 1 finalized', 'file z/b 3 finalized']
  assert.deepEqual(await seen(pkg.access_token), expected)
  assert.deepEqual(await seen(packageToken(pkg, 'write')), expected)
  await finalize(pkg)
  assert.deepEqual(await seen(await readTokenOf(await makeLink(pkg))), expected)
})

test('a manager gets no file addresses: a link has to be opened for that', async () => {
  const { pkg, added } = await makeSent()
  await refused(fileUrl, { params: inFile(added) }, managing(pkg), 'token_level_insufficient')
  const write = reading(packageToken(pkg, 'write'))
  await refused(fileUrl, { params: inFile(added) }, write, 'token_level_insufficient')
})

test('a recipient reads, and changes nothing', async () => {
  const { pkg, link, readToken } = await makeSent()
  const body = { kind: 'file', name: 'x', path: '', last_modified: '2026-01-01T00:00:00Z' }
  await refused(addFile, { params: inPackage(pkg), body }, reading(readToken), 'token_level_insufficient')
  await refused(createLink, { params: inPackage(pkg), body: {} }, reading(readToken), 'token_level_insufficient')
  const params = { package_id: pkg.id, link_id: link.id }
  await refused(deleteLink, { params }, reading(readToken), 'token_level_insufficient')
})

test('there is no address for what is not a file of the package', async () => {
  const pkg = await makePackage()
  const directory = await add(pkg, { kind: 'directory' })
  await finalize(pkg)
  const token = reading(await readTokenOf(await makeLink(pkg)))
  const other = await makeSent()
  for (const file_id of [directory.file.id, randomUUID(), other.added.file.id]) {
    await refused(fileUrl, { params: { package_id: pkg.id, file_id } }, token, 'file_not_found')
  }
})

test('no address is given while the package is open', async () => {
  const pkg = await makePackage()
  const added = await upload(pkg, Buffer.from('abc'))
  const link = await makeLink(pkg)
  const token = packageToken(pkg, 'read', { lnk: link.id })
  await refused(fileUrl, { params: inFile(added) }, reading(token), 'package_not_finalized')
  const many = { params: inPackage(pkg), body: { file_ids: [added.file.id] } }
  await refused(fileUrls, many, reading(token), 'package_not_finalized')
})

test('many addresses come by one call, each with its own result, and count as one access', async () => {
  const pkg = await makePackage()
  const files = []
  for (const name of ['a', 'b', 'c']) files.push((await upload(pkg, Buffer.from(name), { name })).file)
  await finalize(pkg)
  const link = await makeLink(pkg, { access_limit: 1 })
  const [token, late] = [await readTokenOf(link), await readTokenOf(link)]
  const unknown = randomUUID()
  const asking = (...file_ids: string[]) => ({ params: inPackage(pkg), body: { file_ids } })

  const { results } = await show(fileUrls, asking(...files.map(({ id }) => id), unknown), reading(token))
  assert.deepEqual(
    results.map(({ file_id, status, error }) => [file_id, status, error]),
    [...files.map(({ id }) => [id, 200, undefined]), [unknown, 404, 'file_not_found']],
  )
  for (const [index, { url = '' }] of results.slice(0, 3).entries()) {
    assert.equal((await send({ method: 'GET', url })).text, files[index]?.name)
  }
  await show(fileUrls, asking(files[0]?.id ?? ''), reading(token))
  await refused(fileUrls, asking(files[0]?.id ?? ''), reading(late), 'link_locked')
  await refused(fileUrls, asking(), reading(token), 'validation_failed')
  await refused(fileUrls, asking('no id'), reading(token), 'validation_failed')
  const past = { params: inPackage(pkg), body: { file_ids: [unknown], expiry: inSeconds(-1) } }
  await refused(fileUrls, past, reading(token), 'validation_failed')
})
