import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addressesIn } from './addresses.ts'

test('addresses are taken as they are pasted: by commas, lines and blanks, with names or without, each once', () => {
  for (const pasted of [
    'a@x.y, b@x.y; c@x.y',
    'a@x.y\r\nb@x.y\r\n\r\nc@x.y\r\n',
    ' a@x.y b@x.y\tc@x.y a@x.y',
    'Ada <a@x.y>, Bo Li <b@x.y>, <c@x.y>',
    '"Ada, Countess" <a@x.y>; Bo-Li Ünal <b@x.y>;\nc@x.y',
  ]) {
    assert.deepEqual(addressesIn(pasted), ['a@x.y', 'b@x.y', 'c@x.y'], pasted)
  }
  assert.deepEqual(addressesIn(' \n'), [])
})

test('what is no address is left for the server to refuse, never dropped', () => {
  assert.deepEqual(addressesIn('a@x.y Bo <b@x.y>'), ['a@x.y', 'Bo', '<b@x.y>'])
  assert.deepEqual(addressesIn('Voss, Mara <m@x.y>'), ['Voss', 'm@x.y'])
  assert.deepEqual(addressesIn('a@x.y, nobody'), ['a@x.y', 'nobody'])
})
