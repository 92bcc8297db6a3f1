import assert from 'node:assert/strict'
import { test } from 'node:test'
import { recognise, remember } from './sent-before.ts'

const sent = [
  { name: 'Monday', mark: '7:1000', print: 'p' },
  { name: 'on a share', mark: '8:0', print: 'q' },
]
const how = (name: string, mark: string) => recognise(remember(sent), { name, mark })?.known

test('a folder is known by inode and time of birth, whatever its name', () => {
  assert.equal(how('Monday', '7:1000'), 'surely')
  assert.equal(how('Monday, renamed', '7:1000'), 'surely')
})

test('an inode that was given to another folder does not make it the same', () => {
  assert.equal(how('Tuesday', '7:2000'), undefined)
})

test('a folder made anew under a name is the same only if it looks the same', () => {
  assert.equal(how('Monday', '9:3000'), 'if it looks the same')
})

test('without times of birth the name must agree too, or the content', () => {
  assert.equal(how('on a share', '8:0'), 'surely')
  assert.equal(how('renamed on a share', '8:0'), 'if it looks the same')
})

test('a share that numbers its files anew is asked for the content', () => {
  assert.equal(how('on a share', '5:0'), 'if it looks the same')
})

test('what was never sent is not known', () => {
  assert.equal(how('Wednesday', '10:10'), undefined)
})

test('who knows ten thousand does not go through all of them for each', () => {
  let read = 0
  const many = Array.from({ length: 10_000 }, (_, n) => ({
    name: `take ${n}`,
    print: 'p',
    get mark() {
      read++
      return `${n}:1000`
    },
  }))
  const memory = remember(many)
  for (let n = 0; n < many.length; n++) {
    assert.equal(recognise(memory, { name: `take ${n}`, mark: `${n}:1000` })?.known, 'surely')
  }
  assert.equal(read, many.length)
})
