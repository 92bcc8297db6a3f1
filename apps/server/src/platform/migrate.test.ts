import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { type TestContext, test } from 'node:test'
import { createLog } from '@longshore/kit/log'
import { makeEmptyDatabase } from '#test-kit/database'
import { schemaFile, schemaText } from '../../db/dump-schema.ts'
import { migrate } from './migrate.ts'

const log = createLog('test', 'silent')

async function emptyDatabase(t: TestContext): Promise<string> {
  const database = await makeEmptyDatabase()
  t.after(() => database.drop())
  return database.url
}

test('migrating twice changes nothing the second time', async (t) => {
  const url = await emptyDatabase(t)
  const first = await migrate(url, log)
  assert.ok(first.length > 0)
  const schema = await schemaText(url)
  assert.deepEqual(await migrate(url, log), [])
  assert.equal(await schemaText(url), schema)
})

test('two processes that migrate at once do it once', async (t) => {
  const url = await emptyDatabase(t)
  const done = await Promise.allSettled([migrate(url, log), migrate(url, log)])
  const outcomes = done.map((outcome) =>
    outcome.status === 'fulfilled' ? outcome.value.length : String(outcome.reason),
  )
  assert.deepEqual(outcomes.filter((outcome) => outcome !== 0).length, 1, String(outcomes))
  assert.deepEqual(await migrate(url, log), [])
})

test('db/schema.sql is what the migrations make (node apps/server/db/dump-schema.ts writes it)', async (t) => {
  const url = await emptyDatabase(t)
  await migrate(url, log)
  assert.equal(await readFile(schemaFile, 'utf8'), await schemaText(url))
})
