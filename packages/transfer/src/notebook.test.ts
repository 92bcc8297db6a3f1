import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createNotebook } from '#notebook'
import { createTime, wait } from '#simulation/time'

test('notes that come while an append is under way go together in the next, and each waits for its own', async () => {
  const time = createTime()
  const clock = time.clockOf(Symbol('test'))
  const appended: string[][] = []
  const { note } = createNotebook<string>({
    append: async (notes) => {
      await wait(clock, 10)
      appended.push([...notes])
    },
    load: async function* () {},
  })
  const first = note('a')
  const later = wait(clock, 5).then(async () => {
    await Promise.all([note('b'), note('c', 'd')])
    assert.deepEqual(appended, [['a'], ['b', 'c', 'd']])
  })
  await time.until(Promise.all([first.then(() => assert.deepEqual(appended, [['a']])), later]))
})

test('an append that fails is told to those whose notes it had, and the next one is tried', async () => {
  let fails = true
  const { note } = createNotebook<string>({
    append: async () => {
      if (fails) throw new Error('disk full')
    },
    load: async function* () {},
  })
  await assert.rejects(note('a'), /disk full/)
  fails = false
  await note('b')
})

test('what need not outlive the machine does so only beside something that must', async () => {
  const appended: string[] = []
  const { note, jot } = createNotebook<string>({
    append: async (notes, outlive) => void appended.push(`${notes.join(' ')}: ${outlive}`),
    load: async function* () {},
  })
  await jot('a')
  await Promise.all([jot('b'), note('c')])
  await Promise.all([note('d'), jot('e')])
  assert.deepEqual(appended, ['a: program', 'b c: machine', 'd e: machine'])
})
