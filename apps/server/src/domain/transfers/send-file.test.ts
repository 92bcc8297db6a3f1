import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { MiB } from '@longshore/contract/limits'
import { newId } from '@longshore/kit/ids'
import { gate } from '#domain/at-once'
import { checkAuthorization } from '#domain/connections/authorization'
import type { PackageFile } from '#store/files'
import { customerBucket } from '#test-kit/customer-bucket'
import { testCx } from '#test-kit/cx'
import { withOwnBucket } from '#test-kit/own-bucket'
import { type Load, sendFile } from './send-file.ts'

const fileAt = (object_key: string, size: number): PackageFile => ({
  id: newId(),
  kind: 'file',
  path: '',
  name: 'large.mov',
  size,
  last_modified: new Date(),
  state: 'finalized',
  object_key,
  sha256: null,
  crc32: null,
  virus_detected: false,
  scan: 'clean',
  damaged: false,
  inspected_at: new Date(),
})

for (const open of [true, false]) {
  test(`a file too large to be copied whole goes in parts, ${open ? 'copied' : 'sent'} one by one`, async (t) => {
    // Ceph 16 copies parts for the owner of an object alone; in this bucket that is who copies.
    const cx = await withOwnBucket(t, await testCx(t))
    const bucket = await customerBucket(t, { open })
    const bytes = randomBytes(12 * MiB)
    await cx.blob.write('source', bytes)
    const keys = await checkAuthorization(cx, bucket.authorization)
    const store = cx.foreignStore(keys)
    t.after(() => store.close())
    // What somebody left who was killed before they could note it.
    await store.beginUpload('target')
    let [arrived, read, begun] = [0, 0, 0]
    const load: Load = {
      target: store,
      bucket: bucket.name,
      partSize: 5 * MiB,
      copying: { on: true },
      copiesWholeUpTo: 10 * MiB,
      gate: gate(2),
      isTakenUp: true,
      signal: new AbortController().signal,
      arrived: (count) => void (arrived += count),
      begun: async () => void begun++,
    }
    const counting = {
      copier: cx.copier,
      blob: {
        ...cx.blob,
        async *read(...asked: Parameters<typeof cx.blob.read>) {
          for await (const piece of cx.blob.read(...asked)) {
            read += piece.length
            yield piece
          }
        },
      },
    }
    await sendFile(counting, load, fileAt('source', bytes.length), 'target', undefined)
    assert.ok((await bucket.read('target')).equals(bytes))
    assert.deepEqual([arrived, begun, await bucket.openUploads()], [bytes.length, 1, 0])
    assert.deepEqual([read, load.copying.on], [open ? 0 : bytes.length, open])
  })
}
