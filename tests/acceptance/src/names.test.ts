import assert from 'node:assert/strict'
import * as wire from '@longshore/contract/cloud/files'
import { refused, show, use } from '#calls'
import { test } from '#record'
import { sha256 } from '#storage'
import {
  add,
  fetchFile,
  finalize,
  inPackage,
  lastModified,
  makeLink,
  makePackage,
  managing,
  newFile,
  type Package,
  readTokenOf,
  upload,
} from '#walk'

const list = (pkg: Package) => use(wire.listFiles, { params: inPackage(pkg) }, managing(pkg))

test('names in every script, and nested folders, are kept to the byte', async () => {
  const places = [
    { path: '', name: 'with spaces  and  more.txt' },
    { path: 'Größe/Übermaß', name: 'Straße.txt' },
    { path: 'Фильмы/Сезон 1', name: 'Серия №1.mov' },
    { path: '🎬/👩‍👩‍👧', name: '🏴‍☠️.bin' },
    { path: 'twins', name: 'é.txt'.normalize('NFC') },
    { path: 'twins', name: 'é.txt'.normalize('NFD') },
    { path: 'twins', name: 'A.TXT' },
    { path: 'twins', name: 'a.txt' },
    { path: 'עברית', name: 'שלום עולם.txt' },
    { path: 'العربية', name: '‮gpj.exe' },
    { path: 'a/b/c/d/e/f/g/h', name: '..hidden' },
    { path: '', name: '%2e%2e%2f' },
    { path: '．．／', name: 'CON' },
    { path: '', name: `${'ü'.repeat(127)}x` },
    { path: '', name: 'quote"semi;comma,%41.txt' },
  ]
  const pkg = await makePackage()
  const contents = new Map<string, Buffer>()
  for (const place of places) {
    const content = Buffer.from(`${place.path}/${place.name}`)
    const added = await upload(pkg, content, place)
    contents.set(added.file.id, content)
  }
  const listed = await show(wire.listFiles, { params: inPackage(pkg) }, managing(pkg))
  const asText = ({ path, name }: { path: string; name: string }) => JSON.stringify([path, name])
  assert.deepEqual(listed.map(asText).toSorted(), places.map(asText).toSorted())
  assert.ok(listed.every((file) => file.last_modified === lastModified))

  await finalize(pkg)
  const token = await readTokenOf(await makeLink(pkg))
  for (const [id, content] of contents) {
    assert.equal(sha256((await fetchFile(pkg, id, token)).body), sha256(content))
  }
})

test('a place that no file system could hold, or that leads elsewhere, is refused', async () => {
  const pkg = await makePackage()
  const places = [
    ...['..', '.', '', 'a/b', '/etc', 'a\\b', '..\\x', 'C:\\x', 'line\nbreak', '\u001b]0;x', 'x'.repeat(256)].map(
      (name) => ({ name, path: '' }),
    ),
    { name: 'ü'.repeat(128), path: '' },
    ...['..', 'a/../b', 'a/./b', '/etc', '//x', 'a//b', 'a/', 'a\\b', '\\\\srv\\share', 'tab\there', '../../x'].map(
      (path) => ({ name: 'x', path }),
    ),
    { name: 'x', path: 'ü'.repeat(128) },
    { name: 'x', path: `${'abc/'.repeat(1_024)}x` },
    { name: 'x', path: 'a/'.repeat(10_000) },
  ]
  for (const place of places) {
    const body = newFile(place)
    const { details } = await refused(
      wire.addFile,
      { params: inPackage(pkg), body },
      managing(pkg),
      'validation_failed',
    )
    assert.match(details?.[0]?.field ?? '', /^(name|path)$/, JSON.stringify(place).slice(0, 80))
  }
  assert.deepEqual(await list(pkg), [])
})

test('a place is taken once, and no file stands where a folder is needed', async () => {
  const pkg = await makePackage()
  const taken = async (fields: object) =>
    refused(wire.addFile, { params: inPackage(pkg), body: newFile(fields) }, managing(pkg), 'duplicate_path')
  await add(pkg, { name: 'a', path: 'x' })
  await taken({ name: 'a', path: 'x' })
  await taken({ name: 'a', path: 'x', kind: 'directory' })
  await taken({ name: 'b', path: 'x/a' })
  await taken({ name: 'c', path: 'x/a/b' })
  await taken({ name: 'x', path: '' })
  await add(pkg, { name: 'x', path: '', kind: 'directory' })
  await add(pkg, { name: 'a2', path: 'x' })
  assert.equal((await list(pkg)).length, 3)
})
