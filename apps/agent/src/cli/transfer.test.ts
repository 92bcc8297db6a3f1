import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pickTransfer, shortId, type Transfer } from '#cli/transfer'

const upload = (upload_id: string) => ({ kind: 'upload', upload_id }) as unknown as Transfer
const [one, two] = ['0199c1a0-0000-7000-8000-0000aaaa1111', '0199c1a0-0000-7000-8000-0000bbbb1111']
const transfers = [upload(one), upload(two)]

test('a transfer is named by its id, or by as much of its end as tells it from the others', () => {
  assert.equal(pickTransfer(transfers, one), transfers[0])
  assert.equal(pickTransfer(transfers, shortId(two)), transfers[1])
  assert.equal(pickTransfer(transfers, 'BBBB1111'), transfers[1])
})

test('what fits several, none, or would fit by accident is refused', () => {
  assert.throws(() => pickTransfer(transfers, '1111'), /Several ids end with '1111'/)
  assert.throws(() => pickTransfer(transfers, 'cccc1111'), /There is no transfer 'cccc1111'/)
  assert.throws(() => pickTransfer(transfers, '1'), /too short/)
})
