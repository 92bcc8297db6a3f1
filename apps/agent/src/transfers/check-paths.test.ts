import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { checkPaths, isWithin } from './check-paths.ts'

test('two paths of one name are refused, since only one would be sent; the same one twice is no harm', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'longshore-paths-'))
  t.after(() => rmSync(folder, { recursive: true }))
  for (const camera of ['a', 'b']) {
    mkdirSync(join(folder, camera))
    writeFileSync(join(folder, camera, 'take.mov'), camera)
  }
  symlinkSync(join(folder, 'a'), join(folder, 'link'))
  const take = (camera: string) => join(folder, camera, 'take.mov')

  await checkPaths([take('a'), take('a'), take('link')], '/data')
  await assert.rejects(checkPaths([take('a'), take('b')], '/data'), {
    code: 'path_not_found',
    message: `'${take('b')}' has the name of another path. Send the two apart, or a folder with both.`,
  })
})

test('what is neither a file nor a folder is refused', async () => {
  await assert.rejects(checkPaths(['/dev/null'], '/data'), { message: `'/dev/null' is no file or folder.` })
})

test('a folder and what is below it is within, a neighbour of a similar name is not, and all is within the root', () => {
  assert.ok(isWithin('/mnt/nas', '/mnt/nas'))
  assert.ok(isWithin('/mnt/nas/a', '/mnt/nas'))
  assert.ok(!isWithin('/mnt/nas2', '/mnt/nas'))
  assert.ok(!isWithin('/mnt', '/mnt/nas'))
  assert.ok(isWithin('/mnt/nas', '/'))
})
