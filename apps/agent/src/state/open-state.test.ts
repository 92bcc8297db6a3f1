import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { chmodSync, mkdtempSync, readdirSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { isStateTrouble, openDatabase } from './database.ts'
import { pageOfItems } from './items.ts'
import { migrations } from './migrations.ts'
import { openState } from './open-state.ts'
import { readTransfer, removeTransfer } from './transfers.ts'

function folderFor(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'agent-state-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

const modeOf = (path: string) => statSync(path).mode & 0o777

test('a folder that is not there is made, and nobody else may read what is in it', (t) => {
  const folder = join(folderFor(t), 'deep', 'down')
  const db = openState(folder)
  db.run(`insert into settings (name, value) values ('a', '1')`)
  assert.equal(modeOf(folder), 0o700)
  for (const name of readdirSync(folder)) assert.equal(modeOf(join(folder, name)), 0o600, name)
  db.close()
})

test('case 222: a folder that others may read is refused', (t) => {
  const folder = folderFor(t)
  chmodSync(folder, 0o750)
  assert.throws(() => openState(folder), /chmod 700/)
})

test('case 224: a second agent on the same folder is refused, and may begin when the first has ended', (t) => {
  const folder = folderFor(t)
  const openElsewhere = () =>
    spawnSync(process.execPath, [
      '--input-type=module-typescript',
      '-e',
      `import { openState } from ${JSON.stringify(join(import.meta.dirname, 'open-state.ts'))}; openState(${JSON.stringify(folder)}).close()`,
    ])
  const first = openState(folder)
  const refused = openElsewhere()
  assert.notEqual(refused.status, 0)
  assert.match(refused.stderr.toString(), /Another agent uses the data folder/)
  first.close()
  assert.equal(openElsewhere().status, 0)
})

test('what was written is there when the state is opened again', (t) => {
  const folder = folderFor(t)
  const first = openState(folder)
  first.run(`insert into settings (name, value) values ('a', '1')`)
  first.close()
  const second = openState(folder)
  assert.equal(second.all<{ value: string }>('select value from settings')[0]?.value, '1')
  second.close()
})

test('a state of an older version becomes one of this, with all that is in it', (t) => {
  const folder = folderFor(t)
  chmodSync(folder, 0o700)
  const old = openDatabase(join(folder, 'agent.db'))
  for (const step of migrations.slice(0, 2)) old.script(step)
  old.run('pragma user_version = 2')
  old.script(`
    insert into transfers values (7, 'old', 'down', 'link', 'paused', 'p', 'Rushes', 0, 1, 5, 2, 1, 0, 1, null, '{}', '{}', '', '');
    insert into items (transfer, n, kind, name, path, size, last_modified, state, progress, local, identity, file_id)
      values (7, 0, 'file', 'a.mov', '', 5, '', 'pending', 2, '', '', 'f');
    insert into notes values (7, 1, '[]')`)
  old.close()
  const db = openState(folder)
  t.after(() => db.close())
  assert.equal(readTransfer(db, 'down', 'old')?.progress, 2)
  assert.deepEqual(
    pageOfItems(db, 7, 0, 10).map(({ name, page }) => [name, page]),
    [['a.mov', '']],
  )
  assert.deepEqual(db.all('pragma foreign_key_check'), [])
  removeTransfer(db, 7)
  assert.deepEqual(db.all('select 1 from items union all select 1 from notes'), [], 'they still belong to it')
})

test('a state of a newer version is refused, and not touched', (t) => {
  const folder = folderFor(t)
  openState(folder).close()
  const db = openDatabase(join(folder, 'agent.db'))
  db.run('pragma user_version = 999')
  db.close()
  assert.throws(() => openState(folder), /newer version/)
})

for (const [what, damage] of [
  ['is no database', (path: string) => writeFileSync(path, 'x'.repeat(10_000))],
  ['lost its end', (path: string) => truncateSync(path, statSync(path).size - 3 * 4096)],
] as const) {
  test(`a state that ${what} is refused in words, never begun anew in silence`, (t) => {
    const folder = folderFor(t)
    const db = openState(folder)
    db.transaction(() => {
      for (let n = 0; n < 1_000; n++) db.run('insert into settings (name, value) values (?, ?)', `name-${n}`, '1')
    })
    db.close()
    damage(join(folder, 'agent.db'))
    assert.throws(() => openState(folder), /damaged/)
  })
}

test('what is asked for at about the same time goes into one commit, all of it or none', async (t) => {
  const db = openState(folderFor(t))
  t.after(() => db.close())
  const add = (name: string) =>
    db.soon('machine', () => void db.run('insert into settings (name, value) values (?, ?)', name, '1'))
  await Promise.all(['a', 'b', 'c'].map(add))
  const twice = await Promise.allSettled(['d', 'a', 'e'].map(add))
  assert.deepEqual(
    twice.map(({ status }) => status),
    ['rejected', 'rejected', 'rejected'],
  )
  const names = db.all<{ name: string }>('select name from settings order by name').map(({ name }) => name)
  assert.deepEqual(names, ['a', 'b', 'c'])
})

test('where there is no more room a note is refused, what was kept stays, and it goes on when there is', async (t) => {
  const db = openState(folderFor(t))
  t.after(() => db.close())
  const add = (name: string, value: string) =>
    db.soon('machine', () => void db.run('insert into settings (name, value) values (?, ?)', name, value))
  await add('before', '1')
  db.run('pragma max_page_count = 20')
  await assert.rejects(add('too much', 'x'.repeat(200_000)), isStateTrouble)
  db.run('pragma max_page_count = 100000')
  await add('after', '1')
  const names = db.all<{ name: string }>('select name from settings order by name').map(({ name }) => name)
  assert.deepEqual(names, ['after', 'before'])
})
