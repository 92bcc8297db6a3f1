import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newId } from '@longshore/kit/ids'
import { sql } from '#platform/db'
import { hashPartition } from '#platform/hash-partition'
import { testCx } from '#test-kit/cx'

test('a uuid is put where PostgreSQL itself puts it', async (t) => {
  const cx = await testCx(t)
  const ids = [
    ...Array.from({ length: 2_000 }, newId),
    '00000000-0000-0000-0000-000000000000',
    'ffffffff-ffff-ffff-ffff-ffffffffffff',
  ]
  const ours = ids.map((id) => hashPartition(id, 64))

  const wrong = await cx.db.rows<{ id: string }>(sql`
    select id from unnest(${ids}::uuid[], ${ours}::integer[]) as given (id, place)
     where not satisfies_hash_partition('packages'::regclass, 64, place, id)
  `)

  assert.deepEqual(wrong, [])
  assert.ok(new Set(ours).size === 64, 'two thousand ids reach every partition')
})

test('what is no uuid has no place', () => {
  for (const word of ['', 'team', '0123', `${newId()}0`]) assert.throws(() => hashPartition(word, 64), TypeError)
})
